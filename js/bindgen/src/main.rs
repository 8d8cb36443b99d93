//! `tsrec-bindgen MODULE FOLDER` writes a module for JavaScript into a folder, with the code that
//! calls it. It does what `wasm-bindgen --target web` does.

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else { return Err("usage: tsrec-bindgen MODULE FOLDER".into()) };
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)?
        .input_path(module)
        .out_name("tsrec")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        // The package starts a new instance after a trap.
        .reset_state_function(true)
        .generate(folder)?;
    Ok(())
}

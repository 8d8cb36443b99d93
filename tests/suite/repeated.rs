//! What repeats on a site: labels within the content stay, boxes that repeat as a whole go.

use tsrec::{Extract, Limits, parse};
use tsrec_core::template::Site;

/// A function of a library that does not exist: name, purpose, parameter, result and example.
const FUNCTIONS: [[&str; 5]; 6] = [
    [
        "open_sluice",
        "Opens the sluice of a lock, and waits until both levels are the same.",
        "The lock, counted from the sea.",
        "The seconds that the water took to level.",
        "open_sluice(4)",
    ],
    [
        "hoist_flag",
        "Hoists a flag on the mast beside the harbour office, for ships to see.",
        "One of the forty flags of the code.",
        "Whether the mast was free when the call came.",
        "hoist_flag('papa')",
    ],
    [
        "count_gulls",
        "Counts the gulls on the quay from a picture of the camera at the crane.",
        "The camera, and the hour of the picture.",
        "How many birds stood still, without those in the air.",
        "count_gulls(crane, 7)",
    ],
    [
        "weigh_catch",
        "Weighs the catch of a boat on the scales of the auction hall, box by box.",
        "The boat, as it is known at the auction.",
        "Kilograms of fish, less the ice and the boxes.",
        "weigh_catch('Anna')",
    ],
    [
        "light_buoy",
        "Lights a buoy in the fairway before the evening, if its battery lasts.",
        "The buoy by its colour and its number.",
        "The volts that are left after a minute of light.",
        "light_buoy(green, 12)",
    ],
    [
        "read_tide",
        "Reads the tide at the gauge below the bridge, and corrects it for the wind.",
        "The moment, in the time of the port.",
        "Centimetres above the zero of the chart.",
        "read_tide(noon)",
    ],
];

/// The page of a function: a menu, the text with its labels, and a box under it.
fn page([name, purpose, parameter, result, example]: &[&str; 5]) -> String {
    let menu: String =
        FUNCTIONS.iter().map(|[name, ..]| format!("<li><a href='{name}.html'>{name}</a></li>")).collect();
    format!(
        "<!DOCTYPE html><html lang=en><title>{name} - Port library</title><nav class=menu><ul>{menu}</ul></nav>\
         <main><h1>{name}</h1><p>{purpose}</p><p>{purpose} It may be called at any hour, {name} included.</p>\
         <dl><dt>Parameters:</dt><dd>{parameter}</dd><dt>Returns:</dt><dd>{result}</dd></dl>\
         <h2>Example</h2><p>{purpose}</p><pre>{example}</pre><h2>See also</h2><p>What else is done about {name}.</p></main>\
         <div class=feedback><h4>Feedback</h4><p>Did this page help you? Tell the harbour master what is missing here.</p>\
         <a href='/yes'>Yes</a> <a href='/no'>No</a></div>\
         <footer><p>Port library. All rights reserved by the harbour office.</p></footer></html>"
    )
}

/// The labels that the page alone keeps stay when the site is known, and what is around the content
/// goes.
#[test]
fn labels_stay_and_boxes_go() {
    let mut site = Site::default();
    for function in &FUNCTIONS[1..] {
        let document = parse(page(function).as_bytes(), None, &Limits::default());
        Extract::new(&document).run().unwrap().teach(&mut site);
    }
    let document = parse(page(&FUNCTIONS[0]).as_bytes(), None, &Limits::default());
    let alone = Extract::new(&document).run().unwrap().text();
    let text = Extract::new(&document).site(&site).run().unwrap().text();
    let labels = ["Parameters:", "Returns:", "Example", "See also"].into_iter().filter(|label| alone.contains(label));
    let labels: Vec<&str> = labels.collect();
    assert!(labels.len() >= 3, "{alone}");
    for kept in labels.into_iter().chain(["open_sluice(4)", "both levels are the same"]) {
        assert!(text.contains(kept), "{kept} is gone:\n{text}");
    }
    for gone in ["hoist_flag", "Did this page help", "All rights reserved"] {
        assert!(!text.contains(gone), "{gone} stays:\n{text}");
    }
}

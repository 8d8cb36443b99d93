//! A server at many loopback addresses, and at no other.

use axum::Router;
use tokio::net::TcpListener;

/// Serves at each of these addresses of 127.0.0.0/8, all with the port that is returned.
pub(crate) async fn serve(addresses: impl Iterator<Item = String>, app: Router) -> u16 {
    let mut port = 0;
    for address in addresses {
        let listener = TcpListener::bind((address.as_str(), port)).await.expect("a port that is free at each address");
        port = listener.local_addr().expect("an address").port();
        let app = app.clone();
        tokio::spawn(async move { axum::serve(listener, app).await });
    }
    port
}

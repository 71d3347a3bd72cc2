//! 11. Sockets: a TCP echo server, one actor per connection.
//!
//! `cargo run --example 11_echo` starts a server, talks to it over a hundred connections
//! at once, and ends. With an address, such as `127.0.0.1:7007`, it serves there until it
//! is stopped: `nc 127.0.0.1 7007`.

use std::io;
use std::net::SocketAddr;

use futures::{AsyncReadExt, AsyncWriteExt};
use uproar::net::{TcpListener, TcpStream};
use uproar::prelude::*;

/// Sends back what comes until the other side ends. An error ends this actor alone.
#[actor]
async fn connection(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..read]).await?;
    }
}

/// Takes connections, for ever.
#[actor]
async fn server(listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                spawn(connection(stream));
            }
            // Of one connection, or for want of descriptors: the next may do better.
            Err(error) => {
                eprintln!("no connection: {error}");
                sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

struct Done(io::Result<u64>);

/// Says hello so many times, and reads it back.
#[actor]
async fn client(server: SocketAddr, times: u64, done: Recipient<Done>) {
    let talk = async {
        let mut stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let mut echoed = 0;
        for n in 0..times {
            let hello = format!("hello {n}");
            stream.write_all(hello.as_bytes()).await?;
            let mut answer = vec![0; hello.len()];
            stream.read_exact(&mut answer).await?;
            assert_eq!(answer, hello.as_bytes());
            echoed += 1;
        }
        Ok(echoed)
    };
    done.send(Done(talk.await));
}

const CLIENTS: u64 = 100;
const TIMES: u64 = 50;

#[uproar::main]
async fn main() -> io::Result<()> {
    let address = std::env::args().nth(1);
    let serve = address.as_deref().filter(|address| *address != "--test");
    let listener = TcpListener::bind(serve.unwrap_or("127.0.0.1:0")).await?;
    let address = listener.local_addr()?;
    println!("listening at {address}");
    let server = spawn(server(listener));
    if serve.is_some() {
        std::future::pending::<()>().await;
    }

    let me = self_address::<Anything>();
    for _ in 0..CLIENTS {
        spawn(client(address, TIMES, me.recipient()));
    }
    let mut echoed = 0;
    for _ in 0..CLIENTS {
        #[receive]
        match receive().await {
            Done(result) => echoed += result?,
        }
    }
    println!("{echoed} hellos came back over {CLIENTS} connections");
    assert_eq!(echoed, CLIENTS * TIMES);
    kill(&server);
    Ok(())
}

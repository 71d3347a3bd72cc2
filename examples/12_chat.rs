//! 12. A chat server: one actor per connection, and a room that survives all of them.
//!
//! Clients vanish, send garbage, or never read. None of them may hurt the others:
//!
//! * who vanishes ends its own actor, and the room is told by a `Down`;
//! * a line that is too long or not text ends the connection that sent it;
//! * each connection has a bounded outbox, which drops the oldest lines of one that reads
//!   too slowly; one that does not read at all for a while is thrown out.
//!
//! `cargo run --example 12_chat` starts a server, has good and bad clients come, and ends.
//! With an address, such as `127.0.0.1:7007`, it serves there: `nc 127.0.0.1 7007`.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::{AsyncReadExt, AsyncWriteExt};
use uproar::net::{ReadHalf, TcpListener, TcpStream, WriteHalf};
use uproar::prelude::*;

/// A line of one client, for all.
#[derive(Clone)]
struct Line(Arc<str>);

/// Someone has come, and gets lines at this address.
struct Join(Address<Writer>);

struct Count(ReplyTo<usize>);

/// Knows who is there, and passes lines on. It never waits for any of them.
#[actor]
async fn room() {
    let mut guests = BTreeMap::new();
    loop {
        #[receive]
        match receive().await {
            Join(guest) => {
                monitor(&guest);
                guests.insert(guest.pid(), guest);
            }
            Down { pid, .. } => {
                guests.remove(&pid);
            }
            Line(line) => {
                for guest in guests.values() {
                    // Into a bounded mailbox: one that is full loses its oldest line.
                    guest.send(Line(line.clone()));
                }
            }
            Count(reply_to) => reply_to.send(guests.len()),
        }
    }
}

/// Lines that wait for a slow reader, at most.
const OUTBOX: usize = 16;
/// How long a client may leave a line unread that the system has no more room for.
const UNREAD: Duration = Duration::from_millis(500);
const LONGEST: usize = 1024;

/// Writes lines to a client until that has gone, or does not read.
#[actor]
async fn writer(mut to: WriteHalf) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    loop {
        #[receive]
        match receive().await {
            Line(line) => timeout(UNREAD, to.write_all(line.as_bytes())).await??,
        }
    }
}

/// Reads lines of a client until that has gone, or sends garbage.
#[actor]
async fn reader(mut from: ReadHalf, name: SocketAddr, room: Address<Room>) -> io::Result<()> {
    let mut pending = Vec::new();
    let mut buffer = [0; 512];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        pending.extend_from_slice(&buffer[..read]);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let rest = pending.split_off(end + 1);
            let line = std::mem::replace(&mut pending, rest);
            let text = std::str::from_utf8(&line).map_err(io::Error::other)?;
            room.send(Line(format!("{name}: {text}").into()));
        }
        if pending.len() > LONGEST {
            return Err(io::Error::other("a line is too long"));
        }
    }
}

/// One connection: what reads and what writes are linked, so neither outlives the other.
#[actor]
async fn connection(stream: TcpStream, name: SocketAddr, room: Address<Room>) {
    // Little room in the system, so that one who does not read is noticed.
    let _ = stream.set_send_buffer_size(16 * 1024);
    let (read, write) = stream.into_split();
    let outbox = Mailbox::bounded(OUTBOX).drop_oldest();
    let Ok(writer) = Spawn::new().mailbox(outbox).link().spawn(writer(write)) else {
        return;
    };
    room.send(Join(writer));
    spawn_link(reader(read, name, room));
    // It waits for nothing but the end of the others.
    std::future::pending().await
}

#[actor]
async fn server(listener: TcpListener, room: Address<Room>) {
    loop {
        match listener.accept().await {
            Ok((stream, name)) => {
                spawn(connection(stream, name, room.clone()));
            }
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Waits until so many are in the room.
async fn until_there_are(count: usize, room: &Address<Room>) -> Result<(), AskError> {
    while room.ask(Count).await? != count {
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

async fn read_line(stream: &mut TcpStream) -> io::Result<String> {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        let mut byte = [0];
        stream.read_exact(&mut byte).await?;
        line.push(byte[0]);
    }
    String::from_utf8(line).map_err(io::Error::other)
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1);
    let serve = argument.as_deref().filter(|address| *address != "--test");
    let listener = TcpListener::bind(serve.unwrap_or("127.0.0.1:0")).await?;
    let address = listener.local_addr()?;
    println!("listening at {address}");
    let room = spawn(room());
    spawn(server(listener, room.clone()));
    if serve.is_some() {
        std::future::pending::<()>().await;
    }

    // Two who talk.
    let mut ann = TcpStream::connect(address).await?;
    let mut bob = TcpStream::connect(address).await?;
    until_there_are(2, &room).await?;
    ann.write_all(b"hello\n").await?;
    let heard = read_line(&mut bob).await?;
    println!("bob hears {heard:?}");
    assert_eq!(heard, format!("{}: hello\n", ann.local_addr()?));
    assert_eq!(read_line(&mut ann).await?, heard, "so does ann");

    // One who sends what is no text, one whose line does not end, one who vanishes.
    let mut garbage = TcpStream::connect(address).await?;
    garbage.write_all(b"\xff\xfe\xfd\n").await?;
    let mut endless = TcpStream::connect(address).await?;
    endless.write_all(&[b'x'; 3 * LONGEST]).await?;
    let vanishes = TcpStream::connect(address).await?;
    vanishes.set_linger(Some(Duration::ZERO))?;
    drop(vanishes);
    assert!(matches!(garbage.read(&mut [0]).await, Ok(0) | Err(_)));
    assert!(matches!(endless.read(&mut [0]).await, Ok(0) | Err(_)));
    until_there_are(2, &room).await?;
    println!("garbage and the vanished are gone");

    // One who never reads is thrown out, and the others hear all that is said meanwhile.
    let mute = TcpStream::connect(address).await?;
    mute.set_recv_buffer_size(4096)?;
    until_there_are(3, &room).await?;
    let mut said = 0;
    while room.ask(Count).await? == 3 {
        ann.write_all(format!("{said} {}\n", "blah ".repeat(150)).as_bytes())
            .await?;
        assert!(
            read_line(&mut ann)
                .await?
                .contains(&format!(": {said} blah"))
        );
        assert!(
            read_line(&mut bob)
                .await?
                .contains(&format!(": {said} blah"))
        );
        said += 1;
    }
    println!("the mute one is gone after {said} lines, and nobody else has missed any");
    Ok(())
}

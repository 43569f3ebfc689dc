//! The Zenoh session: as the file in `ZENOH_CONFIG` says, or on this machine alone.
//!
//! Nothing is served to other machines but over TLS where each end shows a certificate (mutual TLS, as Zenoh configures it).

use serde_json::Value;
use zenoh::{Config, Session, Wait};

/// Names the file with the configuration, as for every program with Zenoh.
const FILE: &str = Config::DEFAULT_CONFIG_PATH_ENV;

/// Where it is without one.
const HERE: &str = "tcp/127.0.0.1:7447";

/// Protocols that are encrypted, of those that this program has.
const ENCRYPTED: [&str; 1] = ["tls"];

/// A session that may serve.
///
/// # Errors
/// In words, where it would serve other machines without TLS, or cannot be opened.
pub fn server() -> Result<Session, String> {
    let mut config = configured("listen")?;
    // Whom it would find by itself it would serve as well.
    for found in ["scouting/multicast/enabled", "scouting/gossip/enabled"] {
        put(&mut config, found, "false")?;
    }
    // What Zenoh listens to where the file says nothing.
    let usual = endpoints(&Config::default(), "listen")?;
    let listens = Some(endpoints(&config, "listen")?).filter(|found| *found != usual).unwrap_or_default();
    if listens.is_empty() {
        put(&mut config, "listen/endpoints", "[]")?;
    }
    let all = [listens, endpoints(&config, "connect")?].concat();
    if !all.iter().all(|endpoint| is_local(endpoint)) {
        may_serve(&config, &all)?;
        put(&mut config, "transport/link/protocols", &Value::from(ENCRYPTED.to_vec()).to_string())?;
    }
    open(config)
}

/// A session that uses what others serve.
///
/// # Errors
/// In words, where it cannot be opened.
pub fn client() -> Result<Session, String> {
    open(configured("connect")?)
}

fn configured(end: &str) -> Result<Config, String> {
    if let Some(file) = std::env::var_os(FILE) {
        let shown = file.display();
        return Config::from_file(&file).map_err(|e| format!("{FILE}: `{shown}`: {e}"));
    }
    let mut config = Config::default();
    let mode = if end == "listen" { r#""peer""# } else { r#""client""# };
    put(&mut config, "mode", mode)?;
    put(&mut config, &format!("{end}/endpoints"), &Value::from(vec![HERE]).to_string())?;
    put(&mut config, "scouting/multicast/enabled", "false")?;
    Ok(config)
}

fn put(config: &mut Config, key: &str, value: &str) -> Result<(), String> {
    config.insert_json5(key, value).map_err(|e| format!("{FILE}: `{key}`: {e}"))
}

fn open(config: Config) -> Result<Session, String> {
    zenoh::open(config).wait().map_err(|e| {
        // What stands behind is where in the source of Zenoh it was found.
        let words = e.to_string();
        let words = words.split(" at /").next().unwrap_or_default().trim();
        format!("no Zenoh session: {words} ({FILE} names a file with its configuration)")
    })
}

/// All endpoints of one kind, whichever mode they are for.
fn endpoints(config: &Config, end: &str) -> Result<Vec<String>, String> {
    let text = config.get_json(&format!("{end}/endpoints")).map_err(|e| format!("{FILE}: {e}"))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| format!("{FILE}: {e}"))?;
    let mut found = Vec::new();
    gather(&value, &mut found);
    Ok(found)
}

fn gather(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(parts) => parts.values().for_each(|part| gather(part, found)),
        _ => {}
    }
}

/// Whether an endpoint `PROTOCOL/HOST:PORT` is on this machine.
fn is_local(endpoint: &str) -> bool {
    let address = endpoint.split_once('/').map_or("", |(_, rest)| rest);
    let address = address.split(['#', '?']).next().unwrap_or_default();
    let Some((host, _)) = address.rsplit_once(':') else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// Refuses what would be served without TLS to somebody without a certificate.
fn may_serve(config: &Config, endpoints: &[String]) -> Result<(), String> {
    let expected = "expected endpoints `tls/…` with `enable_mtls: true`, or the address 127.0.0.1";
    let protocol = |endpoint: &str| endpoint.split('/').next().unwrap_or_default().to_owned();
    let plain = endpoints.iter().find(|e| !is_local(e) && !ENCRYPTED.contains(&protocol(e).as_str()));
    if let Some(plain) = plain {
        return Err(format!("`{plain}` is not encrypted and not on this machine alone, {expected}"));
    }
    let is_mutual = config.get_json("transport/link/tls/enable_mtls").is_ok_and(|text| text == "true");
    if let Some(own) = endpoints.iter().find(|e| e.contains("enable_mtls")) {
        return Err(format!("`{own}` has `enable_mtls` of its own, expected it in `transport/link/tls`"));
    }
    if !is_mutual {
        return Err(format!("`transport/link/tls/enable_mtls` is not true, {expected}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        for local in ["tcp/127.0.0.1:7447", "tcp/[::1]:0", "tls/127.3.2.1:1#x=y"] {
            assert!(is_local(local), "{local}");
        }
        for other in
            ["tcp/0.0.0.0:7447", "tcp/[::]:0", "tcp/10.0.0.1:1", "tcp/example:1", "tcp", "tcp/127.0.0.1.evil:1"]
        {
            assert!(!is_local(other), "{other}");
        }
    }

    #[test]
    fn others_are_served_with_certificates_only() {
        let allowed = |endpoint: &str, mutual: &str| {
            let mut config = Config::default();
            config.insert_json5("transport/link/tls/enable_mtls", mutual).expect("a key");
            may_serve(&config, &[endpoint.to_owned()]).is_ok()
        };
        assert!(allowed("tls/0.0.0.0:7447", "true"));
        assert!(!allowed("tls/0.0.0.0:7447", "false") && !allowed("tls/0.0.0.0:7447", "null"));
        assert!(!allowed("tcp/0.0.0.0:7447", "true"));
        assert!(!allowed("tls/0.0.0.0:7447#enable_mtls=false", "true"));
    }
}

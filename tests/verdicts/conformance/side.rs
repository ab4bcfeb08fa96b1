//! Parses the parts of side records as their sources do. The library keeps the values as written; this code shows that
//! those values suffice.

use serde_json::{Value, json};

/// `1/5`, `100/15m`, `1/10s 1820-1940`, `2`: documents, seconds, and a window of the day.
pub fn request_rate(value: &str) -> Value {
    let mut words = value.split_ascii_whitespace();
    let rate = words.next().unwrap_or_default();
    let (requests, time) = rate.split_once('/').unwrap_or((rate, "1"));
    let (time, unit) = time.split_at(time.find(|c: char| !c.is_ascii_digit()).unwrap_or(time.len()));
    let factor = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => 1,
    };
    let number = |digits: &str| digits.parse::<u64>().ok();
    let (start, end) = words.next().and_then(|window| window.split_once('-')).unzip();
    json!({
        "requests": number(requests),
        "seconds": number(time).map(|time| time * factor),
        "start": start,
        "end": end,
    })
}

/// `0200 0630` or `0200-0630`: a window of the day.
pub fn visit_time(value: &str) -> Value {
    let (start, end) = value.split_once([' ', '-']).unzip();
    json!({"start": start, "end": end})
}

/// `ai-train=no, search=yes`: preferences by name.
pub fn content_signal(value: &str) -> Value {
    let signal = |name: &str| {
        let pairs = value.split(',').filter_map(|pair| pair.split_once('='));
        let mut named = pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, signal)| signal.trim());
        named.next_back().map(|signal| ["yes", "true", "1"].iter().any(|yes| signal.eq_ignore_ascii_case(yes)))
    };
    json!({"ai-train": signal("ai-train"), "search": signal("search"), "ai-input": signal("ai-input")})
}

/// Whether two values are equal; of objects, only the keys of the second are compared.
pub fn same(ours: &Value, expected: &Value) -> bool {
    match (ours, expected) {
        (Value::Object(ours), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| ours.get(key).unwrap_or(&Value::Null) == value)
        }
        _ => ours == expected,
    }
}

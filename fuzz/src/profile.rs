//! Profiles from files: JSON is one or an error, is written so that it reads back, and has a page.

use vortex_host::Profile;

/// Reads the profile that the bytes are.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(profile) = serde_json::from_slice::<Profile>(bytes) else {
        return false;
    };
    let json = profile.to_json();
    let again: Profile = serde_json::from_str(&json).expect("it was just written");
    assert_eq!(again.to_json(), json);
    assert!(profile.to_html().starts_with("<!"));
    true
}

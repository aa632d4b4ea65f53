//! Which name is meant by one that is misspelt.

/// The one of some names that is like this one: two letters at most are wrong, missing, too many or exchanged, and at
/// most a third of them.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = (name.chars().count() / 3).min(2);
    let with_distance = names.into_iter().map(|one| (distance(name, one), one));
    let nearest = with_distance.min_by_key(|(distance, _)| *distance)?;
    (1..=most).contains(&nearest.0).then_some(nearest.1)
}

/// How many letters have to be changed, put in, left out, or exchanged with the next, to get from one to the other.
fn distance(one: &str, other: &str) -> usize {
    let [one, other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<_>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(a != b))
                .min(rows[i][j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && one[i - 1] == *b && other[j - 1] == *a {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_is_meant_is_near_and_the_only_one_that_is() {
        let names = ["filter", "fold", "block", "grid", "checks"];
        for (name, meant) in [
            ("filtr", Some("filter")),
            ("fitler", Some("filter")),
            ("blok", Some("block")),
            ("check", Some("checks")),
            ("gird", Some("grid")),
            ("fold", None),
            ("map", None),
            ("collect", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), meant, "{name}");
        }
    }
}

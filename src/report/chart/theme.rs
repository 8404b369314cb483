//! The look that all charts share: colours with one meaning each, type sizes, and text that is
//! measured before it is placed.
//!
//! The colours of decisions are those of Okabe and Ito (2008), that of errors is from Tol's muted
//! scheme (2021); they stay apart for colour-blind readers, and each also has a shape of its own.

use plotters::style::{FontDesc, FontFamily, FontStyle, RGBColor, register_font};
use std::sync::Once;
use unicode_width::UnicodeWidthChar;

/// Admitted at once; forwarded.
pub(super) const ALLOWED: RGBColor = RGBColor(0, 114, 178);
/// Admitted, forwarded later.
pub(super) const DELAYED: RGBColor = RGBColor(230, 159, 0);
/// Refused; above the limit; a broken promise.
pub(super) const DENIED: RGBColor = RGBColor(213, 94, 0);
/// Refused because the store or a node failed; what never arrives.
pub(super) const ERROR: RGBColor = RGBColor(170, 68, 153);
/// A time during which the store or a node is down.
pub(super) const OUTAGE: RGBColor = RGBColor(248, 234, 245);
/// Lines and names.
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
/// Words that explain.
pub(super) const MUTED: RGBColor = RGBColor(96, 96, 96);
/// The dashed limit.
pub(super) const BOUND: RGBColor = RGBColor(120, 120, 120);
/// Clock-window edges and leaders.
pub(super) const FAINT: RGBColor = RGBColor(196, 196, 196);
/// Forwarded cost that keeps the limit, as an area.
pub(super) const ALLOWED_AREA: RGBColor = RGBColor(176, 209, 231);
/// Retries that are refused, as an area.
pub(super) const DENIED_AREA: RGBColor = RGBColor(243, 200, 170);
/// The area under a level.
pub(super) const AREA: RGBColor = RGBColor(233, 233, 233);

/// Where a level moves too fast for a line.
pub(super) const BAND: RGBColor = RGBColor(158, 158, 158);

/// Fonts by name. Verdana has the same widths as DejaVu Sans, so that a reader without DejaVu still
/// sees text where it was measured.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// A size and weight of type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Pixels per em.
    pub(super) size: f64,
    pub(super) bold: bool,
}

/// The picture's title.
pub(super) const TITLE: Face = Face {
    size: 22.0,
    bold: true,
};
/// Names of candidates, and what breaks the promise.
pub(super) const NAME: Face = Face {
    size: 16.0,
    bold: true,
};
/// Everything that is read in sentences.
pub(super) const BODY: Face = Face {
    size: 16.0,
    bold: false,
};
/// Axis labels and footers.
pub(super) const SMALL: Face = Face {
    size: 14.0,
    bold: false,
};

/// plotters takes the height of a line where SVG takes the em; this is their ratio in its SVG.
pub(super) const LINE_PER_EM: f64 = 1.24;

impl Face {
    /// The font in plotters' terms, `scale` canvas units to a pixel.
    pub(super) fn font(self, scale: f64) -> FontDesc<'static> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            for (style, bytes) in [
                (FontStyle::Normal, dejavu::sans::regular()),
                (FontStyle::Bold, dejavu::sans::bold()),
            ] {
                assert!(
                    register_font(FAMILY, style, bytes).is_ok(),
                    "the font that is compiled in can be read"
                );
            }
        });
        let style = if self.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let size = self.size * LINE_PER_EM * scale;
        FontDesc::new(FontFamily::Name(FAMILY), size, style)
    }

    /// Room that `text` takes in pixels: its width in DejaVu Sans and some 6 % for a font that runs
    /// wider. Characters that terminals show double count at least an em, since another font will
    /// draw them.
    pub(super) fn width(self, text: &str) -> f64 {
        const FINE: f64 = 16.0;
        let is_wide = |c: &char| c.width() == Some(2);
        let narrow: String = text.chars().filter(|c| !is_wide(c)).collect();
        let wide = text.chars().filter(is_wide).map(|_| 1.1).sum::<f64>() * self.size;
        let (measured, _) = self
            .font(FINE)
            .box_size(&narrow)
            .expect("the font is registered");
        f64::from(measured) / FINE + wide
    }

    /// Distance from one line to the next in pixels.
    pub(super) fn leading(self) -> f64 {
        (self.size * 1.3).round()
    }

    /// The text, with its middle left out as far as it does not fit `room`: both ends of a name
    /// tell it apart.
    pub(super) fn fit(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let chars: Vec<char> = text.chars().collect();
        let shortened = |kept: usize| -> String {
            let head = kept.div_ceil(2);
            let tail = chars.len() - (kept - head);
            let ends = chars[..head].iter().chain(&['…']).chain(&chars[tail..]);
            ends.collect()
        };
        let (mut fits, mut too_long) = (0, chars.len());
        while too_long - fits > 1 {
            let middle = usize::midpoint(fits, too_long);
            if self.width(&shortened(middle)) <= room {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        shortened(fits)
    }

    /// Where a word wider than `room` may be broken.
    fn parts(self, word: &str, room: f64) -> Vec<&str> {
        if self.width(word) <= room {
            vec![word]
        } else {
            word.split_inclusive(['_', '-', '/', '.', ':']).collect()
        }
    }

    /// The text in lines no wider than `room`, broken between words, and within one that is wider than
    /// a line after its marks; at most `most` lines, and what does not fit is left out in the middle
    /// of one.
    pub(super) fn wrap(self, text: &str, room: f64, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let mut glue = " ";
            for part in self.parts(word, room) {
                let is_last = lines.len() == most;
                match lines.last_mut() {
                    Some(line) if is_last || self.width(&format!("{line}{glue}{part}")) <= room => {
                        line.push_str(glue);
                        line.push_str(part);
                    }
                    _ => lines.push(part.to_owned()),
                }
                glue = "";
            }
        }
        lines.iter().map(|line| self.fit(line, room)).collect()
    }
}

/// Text from a scenario or trace made safe for a drawing: what XML forbids and what would turn the
/// reading direction of its surroundings is replaced, line ends become spaces.
pub(super) fn neutral(text: &str) -> String {
    let safe = text.chars().map(|c| match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    safe.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_too_long_keeps_both_ends_and_fits() {
        let name = "production/eu-west-1/token_bucket with a very long name indeed";
        let short = BODY.fit(name, 200.0);
        assert!(BODY.width(&short) <= 200.0, "{short}");
        assert!(
            short.starts_with("prod") && short.ends_with("deed"),
            "{short}"
        );
        assert_eq!(BODY.fit("short", 200.0), "short");
    }

    #[test]
    fn wrapped_text_keeps_every_word_while_there_are_lines() {
        let text = "Five requests at the end of one minute and five at the start of the next";
        let lines = BODY.wrap(text, 300.0, 9);
        assert_eq!(lines.join(" "), text);
        assert!(lines.iter().all(|line| BODY.width(line) <= 300.0));
        assert_eq!(BODY.wrap(text, 300.0, 2).len(), 2);
        let name = BODY.wrap("a sliding_window_counter", 150.0, 3);
        assert_eq!(name, ["a sliding_", "window_counter"]);
    }

    #[test]
    fn control_characters_and_direction_overrides_are_replaced() {
        assert_eq!(
            neutral("a\u{1b}[31m\nb\u{202e}c"),
            "a\u{fffd}[31m b\u{fffd}c"
        );
        assert_eq!(neutral("<שלום> & 🦀"), "<שלום> & 🦀");
    }
}

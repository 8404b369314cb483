//! The PNG of a drawing: the same SVG, rendered with the fonts that it was measured with.

use crate::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::{Arc, OnceLock};

/// Device pixels per pixel of the drawing: sharp on a projector and in print.
const SCALE: f32 = 2.0;

/// The most device pixels; a picture above that is rendered at a smaller scale.
const MOST: f32 = 60e6;

fn options() -> Options<'static> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    });
    Options {
        fontdb: Arc::clone(fonts),
        font_family: "DejaVu Sans".to_owned(),
        ..Options::default()
    }
}

/// Reads a drawing with the fonts it was measured with.
pub(super) fn tree(svg: &str) -> Result<Tree> {
    Tree::from_str(svg, &options())
        .map_err(|error| Error::run("the picture cannot be rendered").because(error))
}

/// Renders a drawing as PNG, twice its size in pixels.
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let tree = tree(svg)?;
    let size = tree.size();
    let scale = SCALE.min((MOST / (size.width() * size.height())).sqrt());
    let scaled = size.to_int_size().scale_by(scale);
    let scaled = scaled.ok_or_else(|| Error::run("the picture has no size"))?;
    let mut pixmap = Pixmap::new(scaled.width(), scaled.height())
        .ok_or_else(|| Error::run("the picture is too large to be rendered"))?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    pixmap
        .encode_png()
        .map_err(|error| Error::run("the picture cannot be written as PNG").because(error))
}

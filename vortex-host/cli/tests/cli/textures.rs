//! `vortex run` with textures.

use vortex::Module;

use crate::{between, dir, doubled, file, npy, path, printed, refused};

/// A file of both kernels, of its own for each test.
fn module(name: &str) -> String {
    let builder = Module::builder("textures").kernel::<between>();
    let module = builder.kernel::<doubled>().build().unwrap();
    path(&file(name, module.to_elf()))
}

/// Runs a kernel over so many items with these arguments, and these written to files.
fn command<'a>(
    elf: &'a str,
    kernel: &'a str,
    over: &'a str,
    args: &[&'a str],
    outs: &[&'a str],
) -> Vec<&'a str> {
    let mut all = vec!["run", elf, "--kernel", kernel, "-q", "--over", over];
    all.extend(args.iter().flat_map(|arg| ["--arg", arg]));
    all.extend(outs.iter().flat_map(|out| ["--out", out]));
    all
}

fn picture(name: &str, (width, height): (u32, u32), bytes: &[u8]) -> String {
    let mut contents = Vec::new();
    let mut encoder = png::Encoder::new(&mut contents, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(bytes).unwrap();
    writer.finish().unwrap();
    path(&file(name, contents))
}

/// A picture's samples, and how many bits each has.
fn samples(path: &str) -> (Vec<u8>, png::BitDepth) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (bytes, info.bit_depth)
}

#[test]
fn textures_come_from_pictures_and_go_to_pictures() {
    let elf = module("between.elf");
    // Red, green, blue: a picture without alpha, for texels with it.
    let photo = picture("photo.png", (3, 1), &[100, 0, 0, 0, 100, 0, 0, 0, 200]);
    let to = path(&dir().join("between.png"));
    let run = |sampler: &str| {
        let (image, out) = (format!("image={photo}{sampler}"), format!("out={to}"));
        printed(&command(
            &elf,
            "between",
            "3x1",
            &[&image, "out=zeros:3x1"],
            &[&out],
        ));
        let (bytes, depth) = samples(&to);
        assert_eq!(depth, png::BitDepth::Eight);
        bytes
    };
    let clamped = run(",filter=linear,edge=clamp");
    assert_eq!(clamped, [50, 50, 0, 255, 0, 50, 100, 255, 0, 0, 200, 255]);
    assert_eq!(run(",filter=linear"), clamped);
    assert_eq!(run(",edge=repeat,filter=linear")[8..], [50, 0, 100, 255]);
    assert_eq!(run(",filter=linear,edge=0:1")[8..], [0, 127, 100, 127]);
    // Each sample is at the edge of the next texel.
    assert_eq!(run("")[..8], [0, 100, 0, 255, 0, 0, 200, 255]);
    // Of coordinates up to 1 that count texels only the last one is in the second texel.
    assert_eq!(run(",unit=texel")[4..], [100, 0, 0, 255, 0, 100, 0, 255]);
}

#[test]
fn textures_of_all_axes_come_from_arrays_and_go_to_files() {
    let elf = module("doubled.elf");
    let floats =
        |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let words: Vec<u8> = (1..=4u16).flat_map(u16::to_le_bytes).collect();
    let grey = format!(
        "grey={}",
        npy("grey.npy", "<f4", "(1, 2)", &floats(&[0.25, 4.0]))
    );
    let volume = format!("volume={}", npy("volume.npy", "<u2", "(2, 1, 2)", &words));
    let [array, shown, deep] =
        ["doubled.npy", "doubled.png", "deep.npy"].map(|name| path(&dir().join(name)));
    let run = |out: &str| {
        let (out, deep) = (format!("out={out}"), format!("deep={deep}"));
        let args = [&*grey, &*volume, "out=zeros:2x1", "deep=zeros:2x1x2"];
        printed(&command(&elf, "doubled", "2x1", &args, &[&out, &deep]));
    };
    run(&array);
    let array = std::fs::read(array).unwrap();
    assert!(String::from_utf8_lossy(&array).contains("'shape': (1, 2,)"));
    assert!(array.ends_with(&floats(&[0.5, 8.0])));
    let array = std::fs::read(&deep).unwrap();
    assert!(String::from_utf8_lossy(&array).contains("'shape': (2, 1, 2,)"));
    assert!(array.ends_with(&[2, 0, 4, 0, 6, 0, 8, 0]));
    // Floats are cut off at 1 in a picture, which has 16 bits for them.
    run(&shown);
    let sixteen = png::BitDepth::Sixteen;
    assert_eq!(samples(&shown), (vec![0x80, 0, 0xff, 0xff], sixteen));
}

#[test]
fn textures_that_cannot_be_are_errors_in_one_line() {
    let elf = module("mistaken.elf");
    let colour = picture("mistaken.png", (1, 1), &[1, 2, 3]);
    let array = npy("mistaken.npy", "<f4", "(1, 2)", &[0; 8]);
    let text = path(&file("mistaken.txt", "text"));
    let broken = path(&file("broken.png", "text"));
    let run = |grey: &str, deep: &str, outs: &[&str]| {
        let (grey, deep) = (format!("grey={grey}"), format!("deep={deep}"));
        let args = [&*grey, "volume=zeros:1x1x1", "out=zeros:1x1", &*deep];
        refused(&command(&elf, "doubled", "1x1", &args, outs))
    };
    let (flat, fine) = ("zeros:1x1", "zeros:1x1x1");
    for (grey, deep, message) in [
        (
            &*colour,
            fine,
            "DIR/mistaken.png: this picture has 3 channels, and a texel of the texture has 1",
        ),
        (
            &*text,
            fine,
            "DIR/mistaken.txt: this cannot be a texture; `grey` is &Texture<f32>: its value is the name of a picture (.png) or an \
             array (.npy), or `zeros:WxH`",
        ),
        (
            "none.png",
            fine,
            "there is no file `none.png`; `grey` is &Texture<f32>: its value",
        ),
        (&*broken, fine, "DIR/broken.png: "),
        (
            "zeros:2",
            fine,
            "`grey=zeros:2`: write the size as zeros:WxH",
        ),
        ("zeros:0x1", fine, "`grey=zeros:0x1`: a texture"),
        (
            "zeros:1x1,filter=cubic",
            fine,
            "`grey=..,filter=cubic`: a texture is sampled with `filter=` nearest or linear, `edge=` clamp, repeat, mirror or a \
             colour R:G:B:A, and `unit=` image or texel",
        ),
        (
            "zeros:1x1,edge=0:red",
            fine,
            "`grey=..,edge=0:red`: a colour is written R:G:B:A, with numbers",
        ),
        (
            flat,
            &*array,
            "DIR/mistaken.npy: the elements are `<f4`, and a channel of the texture is u16",
        ),
        (
            flat,
            flat,
            "`deep=zeros:1x1`: write the size as zeros:WxHxD",
        ),
    ] {
        let error = run(grey, deep, &[]);
        println!("{error}");
        assert!(
            error.starts_with(&format!("error: {message}")),
            "{error}\n{message}"
        );
    }
    let out = format!("deep={}", path(&dir().join("deep.png")));
    assert_eq!(
        run(flat, fine, &[&out]),
        "error: DIR/deep.png: a picture has two dimensions, and the texture has three; write it to a `.npy` file"
    );
}

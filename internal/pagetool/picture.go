package pagetool

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // reads the head of GIFs
	_ "image/jpeg" // of JPEGs
	_ "image/png"  // of PNGs
)

// Bounds of what models take of a picture; one beyond makes their servers
// refuse the whole conversation.
const (
	largestPicture = 3_750_000 // bytes, 5 MB in base64
	widestPicture  = 8000      // pixels, also in height
)

// picture tells what a picture is by its first bytes, which alone count, or why
// it cannot be passed on.
func picture(b []byte) (mime, why string) {
	if len(b) > largestPicture {
		return "", "too large"
	}
	format, w, h := "webp", 0, 0
	if bytes.HasPrefix(b, []byte("RIFF")) {
		w, h = webp(b)
	} else if conf, f, err := image.DecodeConfig(bytes.NewReader(b)); err == nil {
		format, w, h = f, conf.Width, conf.Height
	}
	switch {
	case w <= 0 || h <= 0:
		return "", "not a PNG, JPEG, GIF or WebP"
	case w > widestPicture || h > widestPicture:
		return "", "too many pixels"
	case !whole(format, b):
		return "", "its end is missing"
	}
	return "image/" + format, ""
}

// whole tells that a picture ends as its format does.
func whole(format string, b []byte) bool {
	switch format {
	case "png":
		return bytes.Contains(b[max(0, len(b)-64):], []byte("IEND\xae\x42\x60\x82"))
	case "jpeg":
		return bytes.Contains(b[max(0, len(b)-1024):], []byte{0xff, 0xd9})
	case "gif":
		return bytes.IndexByte(b[max(0, len(b)-64):], ';') >= 0
	}
	return uint64(binary.LittleEndian.Uint32(b[4:]))+8 <= uint64(len(b))
}

// webp reads the size of a WebP (RFC 9649 section 2); 0 when b is none.
func webp(b []byte) (w, h int) {
	const head = 30
	if len(b) < head || string(b[8:12]) != "WEBP" {
		return 0, 0
	}
	switch string(b[12:16]) {
	case "VP8 ": // lossy
		if !bytes.Equal(b[23:26], []byte{0x9d, 0x01, 0x2a}) {
			return 0, 0
		}
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff)
	case "VP8L": // lossless
		if b[20] != 0x2f {
			return 0, 0
		}
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X": // with extensions
		return int(b[24]) | int(b[25])<<8 | int(b[26])<<16 + 1, int(b[27]) | int(b[28])<<8 | int(b[29])<<16 + 1
	}
	return 0, 0
}

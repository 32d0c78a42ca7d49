package tools

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// ImageLimits bound the images that are shown to models. Larger ones are refused: none
// is made smaller.
type ImageLimits struct {
	MaxBytes            int64
	MaxWidth, MaxHeight int // pixels
}

// DefaultImageLimits are what all known providers take.
func DefaultImageLimits() ImageLimits {
	return ImageLimits{MaxBytes: 3_750_000, MaxWidth: 8000, MaxHeight: 8000}
}

func (l ImageLimits) withDefaults() ImageLimits {
	d := DefaultImageLimits()
	return ImageLimits{
		MaxBytes: cmp.Or(l.MaxBytes, d.MaxBytes), MaxWidth: cmp.Or(l.MaxWidth, d.MaxWidth), MaxHeight: cmp.Or(l.MaxHeight, d.MaxHeight),
	}
}

// imageKind tells the media type of an image by its beginning; "" for what is none.
func imageKind(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// imageSize reads the pixels of an image from its header; zeros for a header that is
// broken, or whose size is not within the first bytes.
func imageSize(kind string, head []byte) (width, height int) {
	switch kind {
	case "image/png":
		if len(head) >= 24 && string(head[12:16]) == "IHDR" {
			return int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:]))
		}
	case "image/gif":
		if len(head) >= 10 {
			return int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:]))
		}
	case "image/jpeg":
		return jpegSize(head)
	case "image/webp":
		return webpSize(head)
	}
	return 0, 0
}

// jpegSize follows the segments of a JPEG to the one that begins a frame.
func jpegSize(head []byte) (width, height int) {
	for at := 2; at+9 <= len(head) && head[at] == 0xff; {
		marker := head[at+1]
		switch {
		case marker == 0xff: // filling
			at++
			continue
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return int(binary.BigEndian.Uint16(head[at+7:])), int(binary.BigEndian.Uint16(head[at+5:]))
		}
		at += 2 + int(binary.BigEndian.Uint16(head[at+2:]))
	}
	return 0, 0
}

func webpSize(head []byte) (width, height int) {
	if len(head) < 30 {
		return 0, 0
	}
	switch string(head[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(head[26:])) & 0x3fff, int(binary.LittleEndian.Uint16(head[28:])) & 0x3fff
	case "VP8L":
		bits := binary.LittleEndian.Uint32(head[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return 1 + little24(head[24:]), 1 + little24(head[27:])
	}
	return 0, 0
}

func little24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

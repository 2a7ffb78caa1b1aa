import sharp from 'sharp'
import { signaturePath } from './signature.ts'

/** A TIFF: the scan of a form that was filled in by hand, ticked and signed, in greys at 150 dots per inch. */
export async function makeScannedForm(): Promise<Uint8Array> {
  return sharp(Buffer.from(form))
    .rotate(-0.7, { background: '#f7f6f2' })
    .resize(1240, 1754, { fit: 'cover' })
    .greyscale()
    .withMetadata({ density: 150 })
    .tiff({ compression: 'lzw', predictor: 'horizontal' })
    .toBuffer()
}

/** Lines that look like handwriting from arm's length. */
function scribble(x: number, y: number, words: readonly number[]): string {
  let path = ''
  let left = x
  for (const [index, letters] of words.entries()) {
    path += `M ${left} ${y}`
    for (let letter = 0; letter < letters; letter++) {
      const rise = [12, 26, 10, 18, 34, 14][(letter * 5 + index * 3) % 6]
      path += ` c 3 -${rise} 9 -${rise} 8 -2 s 4 6 8 0`
    }
    left += letters * 16 + 26
  }
  return `<path d="${path}" fill="none" stroke="#24304f" stroke-width="2.6" stroke-linecap="round"/>`
}

const field = (y: number, width = 980) =>
  `<rect x="130" y="${y - 26}" width="${width * 0.22}" height="9" fill="#4a4a4a"/>
   <path d="M 130 ${y + 56} h ${width}" stroke="#8a8a8a" stroke-width="2"/>`

const box = (y: number, isTicked: boolean) =>
  `<rect x="130" y="${y}" width="42" height="42" fill="none" stroke="#4a4a4a" stroke-width="3"/>
   <rect x="200" y="${y + 8}" width="${isTicked ? 520 : 430}" height="9" fill="#7a7a7a"/>
   <rect x="200" y="${y + 26}" width="${isTicked ? 380 : 560}" height="9" fill="#7a7a7a"/>
   ${isTicked ? `<path d="M 134 ${y + 16} l 16 26 l 40 -62" fill="none" stroke="#24304f" stroke-width="6" stroke-linecap="round"/>` : ''}`

const form = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="1754">
  <rect width="1240" height="1754" fill="#f7f6f2"/>
  <rect x="130" y="120" width="560" height="30" fill="#2e2e2e"/>
  <rect x="130" y="176" width="380" height="14" fill="#6a6a6a"/>
  <circle cx="1060" cy="160" r="62" fill="none" stroke="#2e2e2e" stroke-width="6"/>
  <path d="M 1024 152 q 18 -18 36 0 t 36 0 M 1024 176 q 18 -18 36 0 t 36 0" fill="none" stroke="#2e2e2e" stroke-width="6"/>
  ${field(320)}${scribble(150, 368, [5, 8, 4])}
  ${field(450)}${scribble(150, 498, [2, 7, 6, 3])}
  ${field(580)}${scribble(150, 628, [9, 5])}
  ${field(710, 460)}${scribble(150, 758, [3, 3])}
  ${box(850, true)}${box(940, false)}${box(1030, true)}
  ${field(1200)}${scribble(150, 1248, [4, 2, 8, 5, 6])}
  <path d="M 130 1310 h 980 M 130 1366 h 980" stroke="#8a8a8a" stroke-width="2"/>
  ${scribble(150, 1304, [6, 3, 3, 7, 9])}${scribble(150, 1360, [2, 5, 8])}
  <path d="M 130 1580 h 520 M 760 1580 h 350" stroke="#4a4a4a" stroke-width="3"/>
  <g transform="translate(170 1468) scale(2.9)"><path d="${signaturePath}" fill="none" stroke="#24304f" stroke-width="1.3" stroke-linecap="round"/></g>
  ${scribble(790, 1568, [2, 2, 4])}
  <rect x="130" y="1598" width="120" height="9" fill="#6a6a6a"/><rect x="760" y="1598" width="70" height="9" fill="#6a6a6a"/>
</svg>`

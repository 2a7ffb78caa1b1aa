import sharp from 'sharp'

/** A PNG with a map of the way to the recycling centre. It has no lettering, because a machine may have no fonts. */
export async function makeMapPicture(): Promise<Uint8Array> {
  return sharp(Buffer.from(map)).png({ palette: true, colours: 64 }).toBuffer()
}

const roads = [
  { path: 'M -20 560 C 300 520 560 640 1220 470', width: 54 },
  { path: 'M 640 -20 C 600 260 690 420 640 590', width: 40 },
  { path: 'M 640 300 C 800 260 960 330 1060 160', width: 32 },
  { path: 'M 220 550 C 260 420 220 300 300 200', width: 28 },
] as const

/** All kerbs are drawn first, so that crossings stay open. */
const roadNetwork = [
  ...roads.map(({ path, width }) => stroke(path, width + 10, '#b9c2bf')),
  ...roads.map(({ path, width }) => stroke(path, width, '#ffffff')),
].join('')

function stroke(path: string, width: number, colour: string): string {
  return `<path d="${path}" stroke="${colour}" stroke-width="${width}" fill="none" stroke-linecap="round"/>`
}

const house = (x: number, y: number) =>
  `<rect x="${x}" y="${y}" width="54" height="40" rx="4" fill="#d9cfc0"/>
   <path d="M ${x - 6} ${y} l 33 -24 l 33 24 z" fill="#b98b6b"/>`

const tree = (x: number, y: number) =>
  `<circle cx="${x}" cy="${y}" r="26" fill="#8fbf9a"/><circle cx="${x + 12}" cy="${y - 12}" r="18" fill="#7fb08b"/>`

const map = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1000">
  <rect width="1200" height="1000" fill="#eef3ee"/>
  <path d="M 0 780 C 260 690 420 860 700 800 S 1080 660 1200 720 V 1000 H 0 Z" fill="#bcdcea"/>
  <path d="M 60 90 h 330 v 250 h -330 z" fill="#d3e8d3"/>
  ${roadNetwork}
  ${[120, 200, 300].map((x) => tree(x, 150 + (x % 80))).join('')}
  ${tree(900, 640)}${tree(980, 610)}${tree(1080, 640)}
  ${[90, 170, 330, 420, 500].map((x) => house(x, 440)).join('')}
  ${[740, 830, 920, 1010].map((x) => house(x, 390)).join('')}
  <path d="M 60 575 C 300 540 560 640 660 590 C 690 470 610 330 640 310 C 800 260 960 330 1040 190"
    stroke="#c2413b" stroke-width="12" fill="none" stroke-dasharray="2 26" stroke-linecap="round"/>
  <circle cx="60" cy="575" r="20" fill="#c2413b"/>
  <path d="M 1050 190 c -70 -80 -52 -150 0 -150 s 70 70 0 150 z" fill="#0d5c5c"/>
  <circle cx="1050" cy="92" r="24" fill="#ffffff"/>
  <g transform="translate(1110 880)">
    <circle r="54" fill="#ffffff" opacity="0.85"/>
    <path d="M 0 -44 L 12 0 L 0 44 L -12 0 Z" fill="#31414d"/><path d="M 0 -44 L 12 0 H -12 Z" fill="#c2413b"/>
  </g>
</svg>`

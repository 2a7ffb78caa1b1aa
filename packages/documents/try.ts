import { writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { encode } from 'bmp-ts'
import { composeLetter } from './src/compose-letter.ts'
const at = new Date('2026-03-04T05:06:07Z')
const addr = { recipientLine1: 'Ms Ann Other', recipientLine2: '', line1: '27 ACACIA AVENUE', line2: 'LOWMOOR', line5: 'SWANSEA', postcode: 'SA1 1AA', dps: '1A' }
const w = async (n: string, a: any) => { const t=performance.now(); const r = await composeLetter({ pages: [], title: 'Letter', at, ...a }); if (r.kind==='refused') { console.log(n, r); return } writeFileSync(`/tmp/w/out/${n}.pdf`, r.pdf); console.log(n, r.pages, r.sheets, r.pdf.length, (performance.now()-t).toFixed(1)) }
await w('plain', { printableAddress: addr })
await w('welsh', { printableAddress: { ...addr, recipientLine1: 'Siôn Ŵyn Żółć Šťastný Őrült ÅÄÖ ß €', line1: '1 Ffordd y Môr ŷ Ỳ “Tŷ’r Haul”' } })
await w('greek', { printableAddress: { ...addr, recipientLine1: 'Γιώργος Παπαδόπουλος', line1: 'Проспект Мира' } })
await w('hindi', { printableAddress: { ...addr, line2: 'नमस्ते' } })
const h = (n:number) => ({ line1: 'If undelivered return to PO Box 61', ...Object.fromEntries(Array.from({length:n-1},(_, i)=>[`line${i+2}`, `Handling line ${i+2} of the instruction here xx`])) })
await w('hand1', { printableAddress: addr, handlingInstruction: h(1) })
await w('hand3', { printableAddress: addr, handlingInstruction: h(3) })
const full = { recipientLine1: 'Wolfeschlegelsteinhausenbergerdorff Gwendolyn', recipientLine2: 'Ágnes Maria-Theresia von und zu Liechtenstein', line1: 'THE ROYAL SOCIETY FOR THE ENCOURAGEMENT OF AR', line2: 'FLAT 12, THE OLD PUMPING STATION AND ENGINE H', line3: '127 LLANFAIRPWLLGWYNGYLLGOGERYCHWYRNDROBWLLLL', line4: 'LOWER MIDDLE UPPER LOWMOOR, WINTERBOURNE ABBA', line5: 'NEWCASTLE UPON TYNE', postcode: 'NE12 9AA', dps: null }
await w('full', { printableAddress: full })
await w('hand7', { printableAddress: full, handlingInstruction: h(7) })
await w('wide', { printableAddress: { ...full, line3: 'W'.repeat(45), line4: '—'.repeat(45) }, handlingInstruction: h(7) })
const img = (f: any) => sharp({ create: { width: 900, height: 500, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } }).composite([{ input: Buffer.from('<svg width="300" height="200"><rect width="100" height="50" fill="blue"/></svg>'), left: 10, top: 10 }])
const png = await img(0).png().toBuffer()
const jpg = await img(0).flatten().jpeg().toBuffer()
const jpgo = await img(0).flatten().withMetadata({ orientation: 6 }).jpeg().toBuffer()
const gif = await img(0).gif().toBuffer()
const tif = await img(0).tiff().toBuffer()
const raw = await img(0).flatten().removeAlpha().raw().toBuffer()
const abgr = Buffer.alloc(900*500*4); for (let i=0;i<450000;i++){ abgr[i*4+1]=raw[i*3+2]!; abgr[i*4+2]=raw[i*3+1]!; abgr[i*4+3]=raw[i*3]! }
const bmp = encode({ width: 900, height: 500, data: abgr, bitPP: 24 } as any).data
const plain = await composeLetter({ printableAddress: addr, pages: [], title: 'x', at })
await w('files', { printableAddress: addr, pages: [
 { fileId:'a', mediaType:'image/png', bytes: png }, { fileId:'b', mediaType:'image/jpeg', bytes: jpg }, { fileId:'c', mediaType:'image/jpeg', bytes: jpgo }, { fileId:'d', mediaType:'image/gif', bytes: gif }, { fileId:'e', mediaType:'image/tiff', bytes: tif }, { fileId:'f', mediaType:'image/bmp', bytes: bmp }, { fileId:'g', mediaType:'application/pdf', bytes: (plain as any).pdf } ] })
for (let i=0;i<2000;i++) await composeLetter({ printableAddress: addr, pages: [], title: 'Letter', at })
let t=performance.now(); for (let i=0;i<3000;i++) await composeLetter({ printableAddress: addr, pages: [], title: 'Letter', at }); console.log('ms/letter', (performance.now()-t)/3000)
t=performance.now(); for (let i=0;i<1000;i++) await composeLetter({ printableAddress: {...addr, line1:'Tŷ’r Haul'}, pages: [], title: 'Letter', at }); console.log('ms/letter latin', (performance.now()-t)/1000)
t=performance.now(); for (let i=0;i<100;i++) await composeLetter({ printableAddress: {...addr, line1:'Проспект'}, pages: [], title: 'Letter', at }); console.log('ms/letter cyr', (performance.now()-t)/100)

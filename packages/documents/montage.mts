import sharp from 'sharp'
const d='/tmp/w/out/'
const stack = async (names: string[], out: string, cols: number, w: number, h: number) => sharp({ create: { width: cols*w, height: Math.ceil(names.length/cols)*h, channels: 3, background: '#888' } }).composite(names.map((n,i)=>({ input: d+n, left: (i%cols)*w, top: Math.floor(i/cols)*h }))).png().toFile(d+out)
await stack(['plain.png','welsh.png','hand3.png','hand7.png','wide.png'],'m1.png',1,702,232)
await stack([1,2,3,4,5,6,7,8].map(i=>`files-${i}.png`),'m2.png',4,252,355)

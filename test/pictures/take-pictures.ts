import { resolve } from 'node:path'
import { findChromium, startBrowser } from '../stack/console/browser.ts'
import { takeConsolePictures } from './console-pictures.ts'
import { takeDemoPicture } from './demo-picture.ts'

// Takes the pictures of the documents that show the running product. `npm run pictures -- demo` takes one kind of them.
const docs = resolve(import.meta.dirname, '../../docs')
const kinds = { console: takeConsolePictures, demo: takeDemoPicture }

const chosen = process.argv.slice(2)
const unknown = chosen.filter((kind) => !(kind in kinds))
const chromium = findChromium()
if (unknown.length > 0 || !chromium) {
  process.stderr.write(
    unknown.length > 0
      ? `Usage: npm run pictures [-- ${Object.keys(kinds).join(' | ')}]\n`
      : 'There is no chromium on the PATH (apt-get install chromium).\n',
  )
  process.exit(2)
}
await using own = await startBrowser(chromium)
for (const [kind, take] of Object.entries(kinds)) {
  if (chosen.length > 0 && !chosen.includes(kind)) continue
  await take(own.browser, docs)
  process.stdout.write(`The pictures of the ${kind} are in docs/.\n`)
}

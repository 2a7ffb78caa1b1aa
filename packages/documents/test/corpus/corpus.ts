import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { otherRenderers } from '../other-renderers.ts'
import { compareFiles } from './compare-files.ts'
import { reportOf } from './report-of.ts'

const usage = `npm run corpus -- DIR [flags]

Composes each file below DIR as a letter, renders the file and the letter in PDFium, and in MuPDF (mutool) and poppler
(pdftoppm) where they are installed, and lists the pages that differ by more than 1 per mille, by kind.

  --threads N   files at the same time (2)
  --seconds S   begin no file after so long (3600)
  --only TEXT   files whose path has this text alone
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '3600' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
const [folder] = positionals
if (values.help || !folder) {
  process.stdout.write(usage)
  process.exit(values.help ? 0 : 2)
}
const printed = ['.pdf', '.png', '.jpg', '.jpeg', '.gif', '.tif', '.tiff', '.bmp']
const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && printed.includes(extname(entry.name).toLowerCase()))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => path.includes(values.only))
  .toSorted()

process.stdout.write(
  `${paths.length} files; PDFium, ${otherRenderers()
    .map(({ name }) => name)
    .join(', ')}\n`,
)
let done = 0
const compared = await compareFiles(paths, {
  onDone: ({ path }) => {
    done += 1
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${paths.length} ${path}\u001b[K`)
  },
  threads: Number(values.threads),
  secondsMax: Number(values.seconds),
})
const { text, differing } = reportOf(compared)
process.stdout.write(text)
process.exit(differing > 0 ? 1 : 0)

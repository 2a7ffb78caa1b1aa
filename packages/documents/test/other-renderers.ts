import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { openProof } from '../src/preflight/proof-source.ts'
import type { PagePicture } from './page-picture.ts'

export type PageRenderer<Name extends string = string> = {
  name: Name
  /**
   * Returns a picture of each page, in grey: one byte per pixel, rows from the top. `what` names the PDF in errors.
   * Throws if the pages cannot be rendered within a minute.
   */
  render(pdf: Uint8Array, dotsPerInch: number, what?: string): Promise<readonly PagePicture[]>
}

type Tool = {
  name: 'MuPDF' | 'poppler'
  /** The program, and arguments with which it only says its version. */
  program: string
  version: readonly string[]
  package: string
  argumentsFor(place: { file: string; folder: string; dotsPerInch: number }): readonly string[]
}

const tools: readonly Tool[] = [
  {
    name: 'MuPDF',
    program: 'mutool',
    version: ['-v'],
    package: 'mupdf-tools',
    argumentsFor: ({ file, folder, dotsPerInch }) =>
      `draw -q -F pgm -c gray -r ${dotsPerInch} -o ${join(folder, '%d.pgm')} ${file}`.split(' '),
  },
  {
    name: 'poppler',
    program: 'pdftoppm',
    version: ['-v'],
    package: 'poppler-utils',
    argumentsFor: ({ file, folder, dotsPerInch }) =>
      `-q -gray -cropbox -r ${dotsPerInch} ${file} ${join(folder, 'page')}`.split(' '),
  },
]
const millisecondsMax = 60_000

let installed: readonly Tool[] | undefined

/** Returns the renderers besides PDFium that this machine has. Prints a line for each that it lacks, once. */
export function otherRenderers(): readonly PageRenderer<Tool['name']>[] {
  installed ??= tools.filter(({ name, program, version, package: debian }) => {
    const isInstalled = spawnSync(program, version).error === undefined
    if (!isInstalled) {
      console.warn(
        `Suites in ${name} are left out: ${program} is missing (apt-get install ${debian})`,
      )
    }
    return isInstalled
  })
  return installed.map((tool) => ({
    name: tool.name,
    render: (pdf, dotsPerInch, what = 'a PDF') => renderWith(tool, { pdf, dotsPerInch, what }),
  }))
}

/** Renders as our proofs do, in PDFium. */
export const proofRenderer: PageRenderer<'PDFium'> = {
  name: 'PDFium',
  async render(pdf, dotsPerInch, what = 'a PDF') {
    const source = { pdf, part: 'supplied', marks: false } as const
    const ruleSet = ruleSets['standard-2026-11']
    using pages = await openProof(source, { ruleSet, findings: [], dotsPerInch })
    if (!pages) throw new Error(`PDFium cannot open ${what}`)
    return Array.from({ length: pages.count }, (_, index) => {
      const view = pages.view(index + 1)
      if (!view) throw new Error(`PDFium cannot render page ${index + 1} of ${what}`)
      return toGrey(view.picture)
    })
  },
}

async function renderWith(
  tool: Tool,
  { pdf, dotsPerInch, what }: { pdf: Uint8Array; dotsPerInch: number; what: string },
): Promise<readonly PagePicture[]> {
  const folder = await mkdtemp(join(tmpdir(), 'despatch-render-'))
  try {
    const file = join(folder, 'file.pdf')
    await writeFile(file, pdf)
    await run(tool, tool.argumentsFor({ file, folder, dotsPerInch }), what)
    const pictures = (await readdir(folder)).filter((name) => name.endsWith('.pgm'))
    if (pictures.length === 0) throw new Error(`${tool.name} made no picture of ${what}`)
    // the numbers of pages have fewer digits in one tool, and as many as the last page in the other
    const pageOf = (name: string) => Number(/\d+/.exec(name)![0])
    const inOrder = pictures.toSorted((one, other) => pageOf(one) - pageOf(other))
    return await Promise.all(
      inOrder.map(async (name) => readPgm(await readFile(join(folder, name)))),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function run({ name, program }: Tool, args: readonly string[], what: string): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: millisecondsMax,
    killSignal: 'SIGKILL',
  })
  const [[code, signal], said] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (signal) throw new Error(`${name} did not render ${what} within ${millisecondsMax} ms`)
  if (code !== 0) throw new Error(`${name} cannot render ${what}: ${said.trim().slice(-300)}`)
}

/** Reads a grey map in binary, one byte per pixel, as both tools write it. */
function readPgm(file: Buffer): PagePicture {
  const header = /^P5\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+255\s/.exec(
    file.subarray(0, 200).toString('latin1'),
  )
  if (!header) throw new Error('not a grey map of one byte per pixel')
  const [width, height] = [Number(header[1]), Number(header[2])]
  const from = header[0].length
  return { width, height, grey: new Uint8Array(file.subarray(from, from + width * height)) }
}

function toGrey({ width, height, pixels }: { width: number; height: number; pixels: Uint8Array }) {
  const grey = new Uint8Array(width * height)
  for (let index = 0; index < grey.length; index++) {
    const at = index * 4
    grey[index] = Math.round(
      0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!,
    )
  }
  return { width, height, grey }
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import type { Group } from './field-kind.ts'
import type { Language } from './language.ts'
import type { TemplateFile } from './read-template.ts'
import type { TemplateFault } from './template-fault.ts'

/** A letter to typeset. Equal requests give equal bytes. */
export type TypesetRequest = {
  /** The content of the template: equal ids have equal files. */
  templateId: string
  files: readonly TemplateFile[]
  /** The languages to print, one after another. */
  languages: readonly Language[]
  title: string
  author: string
  /** The day of the letter, such as `2026-12-01`. */
  date: string
  reference?: string
  /** The lines in the envelope's window. None if something else prints them. */
  address: readonly string[]
  group: Group
  /** The values of the fields, which `Fields.check` accepts. */
  values: unknown
  pagesMax: number
}

/** The faults may contain values of the letter: they are for its sender or the author of the template, never for a log. */
export type Typeset = { pdf: Uint8Array; pages: number } | { faults: TemplateFault[] }

/** Typst reads only files that are mapped below it. Nothing is there. */
const root = '/despatch-templates'
/** How often a result of the compiler may be unused before it is forgotten. */
const cacheAgeMax = 10

const own = ['despatch.typ', 'guard.typ', 'page.typ', 'qr-code.typ'].map((name) => ({
  path: name,
  text: readFileSync(new URL(`../typst/${name}`, import.meta.url), 'utf8'),
}))
const styles = [
  '400Regular/NotoSans_400Regular',
  '400Regular_Italic/NotoSans_400Regular_Italic',
  '700Bold/NotoSans_700Bold',
  '700Bold_Italic/NotoSans_700Bold_Italic',
]

let known: { templateId: string; compiler: NodeCompiler } | undefined

/**
 * Typesets a letter as an accessible PDF (PDF/UA-1) in this process. A hostile or mistaken template can keep the process
 * busy or fill its memory, so call it only in a process that may be killed. The files are read if the letter before had
 * another template.
 */
export function typeset(request: TypesetRequest): Typeset {
  const { templateId, pagesMax } = request
  if (known?.templateId !== templateId) {
    known = { templateId, compiler: createCompiler(request.files) }
  }
  const { compiler } = known
  compiler.addSource(`${root}/main.typ`, mainOf(request.languages))
  compiler.mapShadow(`${root}/letter.json`, Buffer.from(JSON.stringify(letterOf(request))))
  const result = compiler.compile({ mainFilePath: `${root}/main.typ` })
  compiler.evictCache(cacheAgeMax)
  const error = result.takeError()
  if (error) return { faults: faultsOf(compiler.fetchDiagnostics(error)) }

  const document = result.result!
  const pages = document.numOfPages
  if (pages > pagesMax) {
    const message = `the letter has ${pages} pages, and may have ${pagesMax}`
    return { faults: [{ place: 'letter.typ', message }] }
  }
  try {
    return { pdf: compiler.pdf(document, { pdfStandard: 'ua-1' }), pages }
  } catch (refusal) {
    return { faults: faultsOfExport((refusal as Error).message) }
  }
}

function createCompiler(files: readonly TemplateFile[]): NodeCompiler {
  const fonts = files.filter(({ path }) => path.startsWith('fonts/')).map(({ bytes }) => bytes)
  const compiler = NodeCompiler.create({
    workspace: root,
    fontArgs: [{ fontBlobs: [...ownFonts(), ...fonts].map((font) => Buffer.from(font)) }],
  })
  for (const { path, text } of own) compiler.addSource(`${root}/${path}`, text)
  for (const { path, bytes } of files) {
    const place = `${root}/template/${path}`
    if (path.endsWith('.typ')) compiler.addSource(place, guarded(bytes))
    else if (path.startsWith('images/')) compiler.mapShadow(place, Buffer.from(bytes))
  }
  return compiler
}

function ownFonts(): Buffer[] {
  const { resolve } = createRequire(import.meta.url)
  return styles.map((style) => readFileSync(resolve(`@expo-google-fonts/noto-sans/${style}.ttf`)))
}

/** The import is on the first line, so that the numbers of lines stay those of the author. */
function guarded(source: Uint8Array): string {
  return `#import "/guard.typ": *; ${Buffer.from(source).toString('utf8')}`
}

function mainOf(languages: readonly Language[]): string {
  const parts = languages.map((language) => {
    const file = language === 'en' ? 'letter.typ' : `letter.${language}.typ`
    return `("${language}", include "/template/${file}"),`
  })
  return `#import "/page.typ": whole-letter\n#whole-letter((${parts.join(' ')}))`
}

function letterOf({ title, author, date, reference, address, group, values }: TypesetRequest) {
  return { title, author, date, reference, address, kind: group, fields: values }
}

/** As the compiler describes it. `line` is counted from 0. */
type Diagnostic = { message: string; path: string; range?: { start: { line: number } } }

/** One fault for each error, at the place in the template from which it was reached. */
function faultsOf(diagnostics: readonly Diagnostic[]): TemplateFault[] {
  const [first] = diagnostics
  if (!first) return [{ place: 'letter.typ', message: 'cannot be compiled' }]
  const inTemplate = diagnostics.find(({ path }) => path.startsWith(`${root}/template/`)) ?? first
  const line = inTemplate.range && inTemplate.range.start.line + 1
  return [
    {
      place: inTemplate.path.replace(`${root}/`, '').replace(/^template\//, ''),
      ...(line !== undefined && { line }),
      message: first.message,
    },
  ]
}

/** The export says its errors as one debugging text. */
function faultsOfExport(text: string): TemplateFault[] {
  const messages = [...text.matchAll(/message: "((?:[^"\\]|\\.)*)"/g)].map(([, message]) =>
    message!.replace(/\\(.)/g, '$1').replace(/^PDF\/UA-1 error: /, ''),
  )
  const all = messages.length > 0 ? messages : ['cannot be written as an accessible PDF']
  return [...new Set(all)].map((message) => ({ place: 'letter.typ', message }))
}

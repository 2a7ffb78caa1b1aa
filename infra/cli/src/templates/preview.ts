import { EventEmitter, on } from 'node:events'
import { watch } from 'node:fs'
import type { Language } from '@despatch/templates/language'
import type { Template } from '@despatch/templates/read-template'
import { renderFault } from '@despatch/templates/template-fault'
import { tryLetter } from '@despatch/templates/try-letter'
import { startTypesetters, type Typesetters } from '@despatch/templates/typesetters'
import type { CommandContext } from '../command-context.ts'
import { Failure } from '../failure.ts'
import { drawPages } from './draw-pages.ts'
import { makersWith } from './makers.ts'
import { openTemplate } from './open-template.ts'
import { type Preview, servePreview } from './preview-server.ts'

const quietMs = 50

/** Which letter is shown. Default: the first sample, in the first language of the template. */
type Choice = { sample?: string; language?: readonly Language[] }

/** Typesets a sample. Returns its PDF and the sentences of its findings. Throws a Failure if there is none. */
export async function previewOnce(
  folder: string,
  choice: Choice,
): Promise<{ pdf: Uint8Array; remarks: string[] }> {
  const typesetters = startTypesetters({ processesMax: 1 })
  try {
    const { tried, remarks } = await tryChosen(typesetters, await openTemplate(folder), choice)
    if (!tried) throw new Failure(remarks.join('\n'), { exitCode: 1 })
    return { pdf: tried.document?.pdf ?? tried.accessiblePdf, remarks }
  } finally {
    typesetters.close()
  }
}

/** Shows a sample in the browser, and again after each change of the folder, until Ctrl-C. */
export async function watchPreview(
  folder: string,
  { port, ...choice }: Choice & { port: number },
  { note, print, onInterrupt }: CommandContext,
): Promise<void> {
  const typesetters = startTypesetters({ processesMax: 1 })
  const interrupt = new AbortController()
  const stopListening = onInterrupt(() => interrupt.abort())
  const server = await servePreview(port)
  const show = async () => {
    const preview = await previewOf(typesetters, folder, choice)
    server.show(preview)
    for (const remark of preview.remarks) note(remark)
    if (preview.remarks.length === 0) note(`${preview.pages.length} pages, nothing to remark`)
  }
  try {
    await show()
    print(`The preview is at ${server.address}. Ctrl-C ends it.`)
    for await (const _ of changesOf(folder, interrupt.signal)) await show()
  } finally {
    stopListening()
    server.close()
    typesetters.close()
  }
}

/** Editors write a file in several steps, so a change is reported once nothing has changed for a moment. */
async function* changesOf(folder: string, signal: AbortSignal): AsyncGenerator<void> {
  const changes = new EventEmitter()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(folder, { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => changes.emit('change'), quietMs)
  })
  try {
    for await (const _ of on(changes, 'change', { signal })) yield
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
  } finally {
    clearTimeout(timer)
    watcher.close()
  }
}

async function previewOf(
  typesetters: Typesetters,
  folder: string,
  choice: Choice,
): Promise<Preview> {
  try {
    const { tried, remarks } = await tryChosen(typesetters, await openTemplate(folder), choice)
    if (!tried) return { pages: [], remarks }
    const { accessiblePdf, ...letter } = tried
    return { pages: await drawPages(letter), accessiblePdf, remarks }
  } catch (error) {
    return { pages: [], remarks: [(error as Error).message] }
  }
}

async function tryChosen(
  typesetters: Typesetters,
  template: Template,
  { sample = template.samples[0]!.name, language = template.languages.slice(0, 1) }: Choice,
) {
  const chosen = template.samples.find(({ name }) => name === sample)
  if (!chosen) {
    const names = template.samples.map(({ name }) => name).join(', ')
    throw new Failure(`there is no sample ${sample}; there are ${names}`, { exitCode: 1 })
  }
  const absent = language.find((each) => !template.languages.includes(each))
  if (absent) throw new Failure(`the template has no letter in ${absent}`, { exitCode: 1 })
  const tried = await tryLetter(makersWith(typesetters), template, {
    values: chosen.values,
    languages: language,
  })
  if ('faults' in tried) return { remarks: tried.faults.map(renderFault) }
  return { tried, remarks: tried.findings.map(({ detail }) => detail) }
}

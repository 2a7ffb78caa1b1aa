import { hash } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import type { Database } from '@despatch/store/database'
import type { Submission } from '@despatch/store/print-job/submissions'
import { typeset } from '@despatch/templates/typeset'
import { publishTemplate } from '@despatch/testing/publish-template'
import { findChromium, startBrowser } from '../../stack/console/browser.ts'
import type { Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'
import { openObjects } from '../open-objects.ts'
import { letter, type Sender } from '../pipeline/our-pipeline.ts'
import { htmlOf, openRequests, paramsOf, type TemplateLetter } from './letters.ts'
import type { TypesetTask } from './typeset-main.ts'

/** Makes letters with numbers from `firstNumber`, for the pipeline to make their documents. */
export type Submissions = (firstNumber: number, count: number) => Promise<Submission[]>

/** Makes letters without a pipeline. Numbers are as above. */
export type Loop = (firstNumber: number, count: number) => Promise<void>

const numbers = (firstNumber: number, count: number) =>
  Array.from({ length: count }, (_, index) => firstNumber + index)

/** Letters from a template that it publishes. */
export async function fromTemplate(
  { db }: Database,
  sender: Sender,
  { source }: TemplateLetter,
): Promise<Submissions> {
  const template = await publishTemplate(db, source)
  return async (firstNumber, count) =>
    numbers(firstNumber, count).map((number) => ({
      ...letter(sender, number),
      template,
      templateLanguages: ['en'],
      customParams: paramsOf(number),
    }))
}

/** The same letters as PDF files that were made before, and are in the object store. */
export async function fromPdf(
  { environment }: Ground,
  sender: Sender,
  templateLetter: TemplateLetter,
): Promise<Submissions> {
  const requestOf = await openRequests(templateLetter)
  return async (firstNumber, count) => {
    const objects = openObjects(environment)
    const submissions: Submission[] = []
    for (const number of numbers(firstNumber, count)) {
      const made = typeset(requestOf(number))
      if ('faults' in made) throw new Error(JSON.stringify(made.faults))
      const sha256 = hash('sha256', made.pdf)
      const mediaType = 'application/pdf'
      await objects.put(fileKey(sha256), made.pdf, mediaType)
      const file = { fileId: 'letter', sha256, bytes: made.pdf.length, mediaType }
      submissions.push({
        ...letter(sender, number),
        files: [{ ...file, source: 'custom-param' }],
      })
    }
    objects.close()
    return submissions
  }
}

/** A bare loop of the compiler in each of as many processes as the pipeline has for it. */
export async function startBareLoop(
  ground: Ground,
  { threads }: Settings,
  templateLetter: TemplateLetter,
): Promise<Loop> {
  const programs = await Promise.all(
    Array.from({ length: threads }, () => ground.start('test/load/templates/typeset-main.ts')),
  )
  return async (firstNumber, count) => {
    const share = Math.ceil(count / threads)
    await Promise.all(
      programs.map((program, index) => {
        const task: TypesetTask = {
          letter: templateLetter,
          firstNumber: firstNumber + index * share,
          count: Math.min(share, count - index * share),
        }
        return program.ask(task, ground.signal)
      }),
    )
  }
}

/** A headless browser that prints the same text, in as many pages at once. Undefined: this machine has none. */
export async function startPrinting(
  parts: AsyncDisposableStack,
  { threads }: Settings,
  templateLetter: TemplateLetter,
): Promise<Loop | undefined> {
  const path = findChromium()
  if (path === undefined) return undefined
  const { browser } = parts.use(await startBrowser(path))
  const pages = await Promise.all(Array.from({ length: threads }, () => browser.newPage()))
  return async (firstNumber, count) => {
    const waiting = numbers(firstNumber, count).values()
    await Promise.all(
      pages.map(async (page) => {
        for (const number of waiting) {
          await page.setContent(htmlOf(templateLetter, number))
          await page.pdf({ preferCSSPageSize: true })
        }
      }),
    )
  }
}

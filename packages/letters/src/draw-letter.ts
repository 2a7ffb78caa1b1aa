import type { Composers } from '@despatch/composer/composers'
import { TaskLimitExceeded } from '@despatch/composer/task-limits'
import type { LetterToDraw } from '@despatch/documents/letter-proof'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { ProofSource } from '@despatch/store/print-job/proof'
import type { LetterTemplates } from './letter-templates.ts'
import { readLetter } from './read-letter.ts'
import { type WaitingCaller, type WorkLimits, withinLimit } from './within-limit.ts'

export type DrawContext = {
  objects: ObjectStore
  templates: Pick<LetterTemplates, 'typeset'>
  limits: WorkLimits
  composers: Pick<Composers, 'letterProof' | 'letterProofPage'>
}

/** A drawing of a letter, or why there is none. */
export type Drawn<Shown> =
  | { kind: 'drawn'; shown: Shown }
  | { kind: 'being-checked' | 'purged' | 'too-complex' }

type DrawRequest = { source: ProofSource; by: WaitingCaller }

/**
 * Draws the letter of a print job with its findings, as PDF. Throws a Problem if too many are being drawn, or if it
 * takes too long.
 */
export function drawLetter(context: DrawContext, request: DrawRequest): Promise<Drawn<Uint8Array>> {
  const { consumerId } = request.by
  return draw(context, request, (letter, signal) =>
    context.composers.letterProof(letter, { consumerId, signal }),
  )
}

/** Returns the page that a caller's text names, from 1, or undefined if it names none. */
export function parsePageNumber(text: string): number | undefined {
  return /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : undefined
}

/**
 * Draws one page as PNG. `page` is the caller's text, counted from 1. `shown` is undefined if there is no such page.
 */
export function drawPage(
  context: DrawContext,
  { page, ...request }: DrawRequest & { page: string },
): Promise<Drawn<Uint8Array | undefined>> {
  const { consumerId } = request.by
  const number = parsePageNumber(page)
  return draw(context, request, async (letter, signal) =>
    number === undefined
      ? undefined
      : context.composers.letterProofPage(letter, number, { consumerId, signal }),
  )
}

async function draw<Shown>(
  { objects, templates, limits }: DrawContext,
  { source, by }: DrawRequest,
  work: (letter: LetterToDraw, signal: AbortSignal) => Promise<Shown>,
): Promise<Drawn<Shown>> {
  if (source.isPurged) return { kind: 'purged' }
  const { status } = source
  if (status === 'QUARANTINE' || status === 'VALIDATING') return { kind: 'being-checked' }
  try {
    const shown = await withinLimit(limits, by, 'proof', async (signal) =>
      work(await readLetter({ objects, templates }, source, signal), signal),
    )
    return { kind: 'drawn', shown }
  } catch (error) {
    if (error instanceof TaskLimitExceeded) return { kind: 'too-complex' }
    throw error
  }
}

/**
 * Returns the headers of a response that shows a letter: no cache may store it, and no client may guess another type.
 */
export function inlineHeaders(contentType: string) {
  return {
    'content-type': contentType,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
}

import { isDeepStrictEqual } from 'node:util'

/**
 * A fenced block of a guide: its language, its content, and where it begins, for example `docs/guide.md:12`. Consecutive
 * blocks with a title show the same request in several languages.
 */
export type Fence = {
  language: string
  title?: string | undefined
  text: string
  place: string
  isRun: boolean
}

const notRun = '<!-- not run -->'
const fence = /^(?:(<!-- [^\n]* -->)\n)?```(\w*)(?: title=(\S+))?\n(.*?)^```$/gms

export function fencesOf(path: string, markdown: string): Fence[] {
  return [...markdown.matchAll(fence)].map(
    ({ index, 1: comment, 2: language, 3: title, 4: text }) => {
      const line = markdown.slice(0, index).split('\n').length + (comment === undefined ? 0 : 1)
      const isRun = language === 'sh' && comment !== notRun
      return { language: language!, title, text: text!, place: `${path}:${line}`, isRun }
    },
  )
}

const [before, after] = ['\u001e', '\u001f']

/**
 * Returns the shell blocks of a guide as one script that stops at the first failure. Markers separate the outputs of
 * the blocks.
 */
export function scriptOf(fences: readonly Fence[]): string {
  const blocks = fences
    .filter(({ isRun }) => isRun)
    .map(({ place, text }) => `printf '%s' '${before}${place}${after}'\n${text}`)
  return ['set -euo pipefail', ...blocks].join('\n')
}

/** Returns the blocks of a guide in one language, which are one program. */
export function programOf(fences: readonly Fence[], language: 'ts' | 'python'): string {
  const blocks = fences.filter((block) => block.language === language && block.title !== undefined)
  return blocks.map(({ text }) => text).join('\n')
}

/** Returns the output of each block, by its place. */
export function outputsOf(output: string): Map<string, string> {
  return new Map(
    output
      .split(before)
      .slice(1)
      .map((part) => {
        const [place = '', text = ''] = part.split(after)
        return [place, text]
      }),
  )
}

/** Returns the shown answers, each with the block that directly precedes it, or with the first of several languages. */
export function answersOf(fences: readonly Fence[]): { block: Fence; shown: Fence }[] {
  return fences.flatMap((shown, index) => {
    const isFirst = ({ title }: Fence) => title === undefined || title === 'curl'
    const block = fences.slice(0, index).findLast(isFirst)
    const isAnswer = shown.title === undefined && shown.language !== 'sh'
    return block?.isRun && isAnswer ? [{ block, shown }] : []
  })
}

/**
 * Describes where a shown answer differs from the real output, or returns undefined if it does not. The shown answer
 * may be shortened: members and items may be left out at the end. Instants, days, ids, byte counts, durations and clock
 * differences may differ. `…` matches anything.
 */
export function differenceFrom(shown: Fence, said: string): string | undefined {
  if (shown.language !== 'json') {
    const lines = said.split(/\r?\n/)
    const missing = shown.text
      .trim()
      .split('\n')
      .find((line) => !lines.includes(line))
    return missing === undefined ? undefined : `was not said: ${missing}`
  }
  const answer = lastJson(said)
  if (answer === undefined) return `there was no JSON in: ${said}`
  return difference(JSON.parse(shown.text), answer, '')
}

function lastJson(said: string): unknown {
  for (const text of [said, ...said.split('\n').toReversed()]) {
    try {
      return JSON.parse(text)
    } catch {
      // another line may be JSON
    }
  }
}

function difference(shown: unknown, real: unknown, path: string): string | undefined {
  if (typeof shown === 'object' && shown !== null) {
    if (typeof real !== 'object' || real === null) return `${path}: there is no such list or object`
    if (Array.isArray(shown) && shown.length === 0 && !isDeepStrictEqual(real, [])) {
      return `${path}: is not empty`
    }
    for (const [name, value] of Object.entries(shown)) {
      const found = difference(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  const isSame =
    typeof shown === 'string' && typeof real === 'string'
      ? isLike(shown, real)
      : shown === real || (isVarying(path) && typeof shown === typeof real)
  return isSame ? undefined : `${path}: ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`
}

function isVarying(path: string): boolean {
  return /\.(byteCount|bytes|clockSkewSeconds|durationMs)$/.test(path)
}

function isLike(shown: string, real: string): boolean {
  const [start = '', ...rest] = general(shown).split('…')
  if (rest.length === 0) return start === general(real)
  return /^[0-9a-f]{8}$/.test(start) || general(real).startsWith(start)
}

function general(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
    .replaceAll(/\b([RD])\d{6,9}\b/g, '<$1>')
}

import type { Finding } from '@despatch/domain/preflight/finding'

/** P402: a letter has no more pages than its contract allows. */
export function judgePagesMax(pages: number, pagesMax: number): Finding[] {
  if (pages <= pagesMax) return []
  return [
    {
      rule: 'pages-max',
      severity: 'refusal',
      measured: { unit: 'pages', value: pages },
      allowed: { unit: 'pages', max: pagesMax },
      detail: `The document has ${pages} pages; at most ${pagesMax} are allowed`,
    },
  ]
}

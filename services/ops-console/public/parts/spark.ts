import { h, type JSX } from 'preact'
import { sparkHeight, sparkPath, sparkWidth } from './spark-path.ts'

/** Returns a small line of shares without axes. Null leaves a gap. */
export function spark(
  shares: readonly (number | null)[],
  name: string,
  tone: 'ok' | 'warn' | 'bad' | '',
): JSX.Element {
  return h(
    'svg',
    {
      class: `spark ${tone}`,
      viewBox: `0 0 ${sparkWidth} ${sparkHeight}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': name,
    },
    h('path', { d: sparkPath(shares) }),
  )
}

import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { h, type JSX } from 'preact'
import { linesOf } from './contract-terms.ts'

type Change = ContractPreviewResponse['changes'][number]

/** Returns a change with a sign before each line, so that colour alone never says anything. */
export function diff(changes: readonly Change[]): JSX.Element {
  return h(
    'div',
    { class: 'diff' },
    linesOf(changes).map(([sign, text]) => h(sign === '−' ? 'del' : 'ins', {}, `${sign} ${text}`)),
  )
}

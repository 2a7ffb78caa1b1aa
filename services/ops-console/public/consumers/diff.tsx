import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { linesOf } from './contract-terms.ts'

type Change = ContractPreviewResponse['changes'][number]

/** Each change with a sign before its line, so that colour alone never says anything. */
export function Diff({ changes }: { changes: readonly Change[] }) {
  return (
    <div class="diff">
      {linesOf(changes).map(([sign, text]) => {
        const Line = sign === '−' ? 'del' : 'ins'
        return (
          <Line>
            {sign} {text}
          </Line>
        )
      })}
    </div>
  )
}

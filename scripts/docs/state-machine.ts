import { markdownTable } from '@despatch/cli/markdown'
import {
  isFinal,
  type PrintJobStatus,
  printJobStatuses,
  type Transition,
  transitions,
} from '@despatch/domain/print-job/status'

type Move = { transition: Transition; from: readonly PrintJobStatus[]; to: PrintJobStatus }

const moves = Object.entries(transitions).map(
  ([transition, { from, to }]) => ({ transition, from, to }) as Move,
)

/** Returns docs/state-machine.md: every status of a print job and every legal transition, from the domain. */
export function describeStateMachine(): string {
  return `# The statuses of a print job

<!-- Written by \`npm run docs\`. Change packages/domain/src/print-job/status.ts. -->

\`\`\`mermaid
stateDiagram-v2
${drawMoves().join('\n')}
\`\`\`

${markdownTable(
  ['transition', 'from', 'to'],
  moves.map(({ transition, from, to }) => [code(transition), from.map(code).join(', '), code(to)]),
)}

${markdownTable(
  ['status', 'left by'],
  printJobStatuses.map((status) => [code(status), leftBy(status)]),
)}

A print job starts in ${code(printJobStatuses[0])}; its first event is \`submit\`. Deleting a \`PENDING\` print job hides it and
does not change its status. One function makes every transition: \`movePrintJobs\` in
[packages/store/src/print-job/print-jobs.ts](../packages/store/src/print-job/print-jobs.ts). Which process requests
which transition, and when: [journey.md](journey.md). Why \`QUARANTINE\` and \`VALIDATING\` are in these places:
[decision 0002](decisions/0002-where-quarantine-and-validating-sit.md).
`
}

function drawMoves(): string[] {
  const between = moves.flatMap(({ transition, from, to }) =>
    from.map((status) => `  ${status} --> ${to}: ${transition}`),
  )
  const ends = printJobStatuses.filter(isFinal).map((status) => `  ${status} --> [*]`)
  return [`  [*] --> ${printJobStatuses[0]}: submit`, ...between, ...ends]
}

function leftBy(status: PrintJobStatus): string {
  if (isFinal(status)) return 'nothing: it is final'
  return moves
    .filter(({ from }) => from.includes(status))
    .map(({ transition }) => code(transition))
    .join(', ')
}

function code(text: string): string {
  return `\`${text}\``
}

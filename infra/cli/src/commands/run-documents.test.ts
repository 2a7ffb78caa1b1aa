import { registerHooks } from 'node:module'
import { Command } from 'commander'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { CommandContext } from '../command-context.ts'
import { addingTo } from '../operation-command.ts'
import type { CommandOutput } from '../program.ts'
import type { Session } from '../session.ts'
import { addPost, addRecallCommands } from './run-documents.ts'

// each question is answered with yes
const yes = 'data:text/javascript,export default async () => "yes"'
const hooks = registerHooks({
  resolve: (name, given, next) =>
    name === '@inquirer/input' ? { url: yes, shortCircuit: true } : next(name, given),
})
afterAll(() => hooks.deregister())

const context = { canAsk: true, note: () => {} } as Partial<CommandContext> as CommandContext
const key = '11111111-1111-4111-8111-111111111111'
const facts = ['--carrier', 'C', '--handover-at', '2026-01-31T17:30:00Z', '--posting-key', key]
const posting = { postingKey: key, carrier: 'C', handoverAt: '2026-01-31T17:30:00Z', reason: 'x' }

let sent: unknown[][] = []
beforeEach(() => {
  sent = []
})

async function runCommand(...line: string[]): Promise<void> {
  const send = async (...request: unknown[]) => {
    sent.push(request)
    return { documentCount: 3, tooLateCount: 1, batchNumber: 'R1' }
  }
  const session = { send } as Partial<Session> as Session
  const run = async (work: (session: Session) => Promise<CommandOutput>) => {
    await work(session)
  }
  const runs = new Command('runs')
  const add = addingTo(runs, { run, context })
  addRecallCommands(add)
  addPost(add)
  await runs.parseAsync(line, { from: 'user' })
}

test.each<
  [name: string, line: string[], path: string, choice: object, facts: object, counted?: object]
>([
  [
    'recall',
    ['recall', 'R1', '--all', '--reason', 'x'],
    '/print-runs/R1/recalls',
    { all: true },
    { reason: 'x' },
  ],
  [
    'settle-recall',
    ['settle-recall', '7', '--too-late', 'D1', 'D2', '--note', 'x'],
    '/recalls/7/settle',
    { tooLate: ['D1', 'D2'] },
    { note: 'x' },
  ],
  [
    'post',
    ['post', 'R1', 'D1', ...facts, '--reason', 'x'],
    '/print-runs/R1/postings',
    { documentIds: ['D1'] },
    posting,
    { documentIds: ['D1'], postingKey: key },
  ],
])(
  '%s sends the agreed count, and with --yes neither asks for it nor sends it',
  async (_, line, path, choice, others, counted = choice) => {
    await runCommand(...line)
    const agreed = sent
    sent = []
    await runCommand(...line, '--yes')

    expect(agreed).toEqual([
      ['POST', `${path}/count`, counted],
      ['POST', path, { ...others, ...choice, expectedCount: 3 }],
    ])
    expect(sent).toEqual([['POST', path, { ...others, ...choice }]])
  },
)

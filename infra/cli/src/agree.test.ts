import { beforeEach, expect, test, vi } from 'vitest'
import { refuseUnlessAgreed } from './agree.ts'
import type { CommandContext } from './command-context.ts'
import { exitCodeOf, explainAsJson } from './failure.ts'

const answer = vi.hoisted(() => vi.fn<() => Promise<string>>())
vi.mock('./ask.ts', () => ({ ask: answer }))

beforeEach(() => void answer.mockReset())

/** Asks at a terminal. Returns the result that ends the command, and what the terminal shows. */
async function askAtTerminal() {
  const shown: string[] = []
  const context = { canAsk: true, note: (text: string) => void shown.push(text) } as CommandContext
  const plan = { document: { letters: 2 }, text: 'This sends 2 letters.' }
  const agreement = { describe: () => plan, question: 'Send?', otherwise: 'nothing is sent' }
  return { ended: await refuseUnlessAgreed(agreement, context), shown }
}

test('the plan is shown once, whatever the answer', async () => {
  answer.mockResolvedValueOnce('no').mockResolvedValueOnce(' Yes')

  const refused = await askAtTerminal()
  const agreed = await askAtTerminal()

  expect(refused.shown).toEqual(['This sends 2 letters.'])
  expect(refused.ended).toEqual({
    ...{ document: { letters: 2 }, text: '', exitCode: 1, refusal: 'nothing is sent' },
  })
  expect(agreed).toEqual({ ended: undefined, shown: ['This sends 2 letters.'] })
})

test('Ctrl-C at the question ends with 130 and no words', async () => {
  const left = Object.assign(new Error('User force closed the prompt'), { name: 'ExitPromptError' })
  answer.mockRejectedValueOnce(left)

  const error = await askAtTerminal().catch((thrown: unknown) => thrown)

  expect([exitCodeOf(error), explainAsJson(error)]).toEqual([130, undefined])
})

import { expect, test } from 'vitest'
import { refuseUnlessAgreed } from './agree.ts'
import { exitCodeOf, explainAsJson } from './failure.ts'

/** Asks at a terminal. Returns the result that ends the command, and what the terminal shows. */
async function askAtTerminal(answer: () => Promise<string>) {
  const shown: string[] = []
  const context = { canAsk: true, note: (text: string) => void shown.push(text) }
  const plan = { document: { letters: 2 }, text: 'This sends 2 letters.' }
  const agreement = { describe: () => plan, question: 'Send?', otherwise: 'nothing is sent' }
  return { ended: await refuseUnlessAgreed(agreement, context, answer), shown }
}

test('the plan is shown once, whatever the answer', async () => {
  const refused = await askAtTerminal(async () => 'no')
  const agreed = await askAtTerminal(async () => ' Yes')

  expect(refused.shown).toEqual(['This sends 2 letters.'])
  expect(refused.ended).toEqual({
    document: { letters: 2 },
    text: '',
    exitCode: 1,
    refusal: 'nothing is sent',
  })
  expect(agreed).toEqual({ ended: undefined, shown: ['This sends 2 letters.'] })
})

test('Ctrl-C at the question ends with 130 and no words', async () => {
  const left = Object.assign(new Error('User force closed the prompt'), { name: 'ExitPromptError' })

  const error = await askAtTerminal(() => Promise.reject(left)).catch((thrown: unknown) => thrown)

  expect([exitCodeOf(error), explainAsJson(error)]).toEqual([130, undefined])
})

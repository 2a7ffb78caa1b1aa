import type { CallbacksResponse } from '@despatch/contracts/print-request/callback'
import { eventually } from '@despatch/testing/eventually'
import { expect } from 'vitest'
import { aCaller, signedIn } from './a-caller.ts'
import { runCommand } from './despatch-command.ts'
import { expectStatus } from './expect-status.ts'
import type { Credentials } from './start-despatch.ts'

type CallbackParams = { target: string; authenticationHeader: string }

/**
 * Enables the signing of callbacks. Returns the secret as it was shown, as base64 text, and as the hexadecimal text of
 * its bytes.
 */
export async function makeSigningSecret(
  { baseUrl, consumer }: Credentials,
  token: string,
): Promise<string[]> {
  const headers = { authorization: token, 'x-api-key': consumer.apiKey }
  const ask = expectStatus(aCaller(`${baseUrl}/print-request/v1/`, headers))
  const made = await ask(201, 'POST', 'callback-signing-secrets', {})
  const { secret } = JSON.parse(made) as { secret: string }
  const [, base64 = ''] = secret.split('whsec_')
  return [secret, base64, Buffer.from(base64, 'base64').toString('hex')]
}

/**
 * Uses every operation that shows callbacks or sends them again, and tries targets that must be refused. Returns all
 * answers that the consumer and the operator got.
 */
export async function useCallbackOperations(
  { baseUrl, opsUrl, consumer, operator }: Credentials,
  given: { directory: string; token: string; callbackParams: CallbackParams },
): Promise<string> {
  const { directory, token, callbackParams } = given
  const headers = { authorization: token, 'x-api-key': consumer.apiKey }
  const asConsumer = expectStatus(aCaller(`${baseUrl}/print-request/v1/`, headers))
  const asOperator = expectStatus(
    aCaller(`${opsUrl}/administration/v1/`, await signedIn(baseUrl, operator)),
  )
  const answers: string[] = []
  const keep = async (answer: Promise<string>) => {
    const text = await answer
    answers.push(text)
    return text
  }
  const { target, authenticationHeader } = callbackParams
  const forbidden = [
    target.replace('127.0.0.1', '169.254.169.254'),
    target.replace('http://', 'ftp://'),
    target.replace('http://', `http://${authenticationHeader.split(' ')[1]}@`),
  ]
  for (const refused of forbidden) {
    const body = { callbackParams: { ...callbackParams, target: refused } }
    await keep(asConsumer(400, 'POST', 'callbacks/test', body))
  }
  await keep(asConsumer(202, 'POST', 'callbacks/test', { callbackParams }))
  const [deadId] = await eventually(
    async () => {
      const listed = await asConsumer(200, 'GET', 'callbacks?status=DEAD')
      const { callbacks } = JSON.parse(listed) as CallbacksResponse
      return callbacks.length === 2 && callbacks.map(({ callbackId }) => callbackId)
    },
    { pollMs: 200, message: 'what is refused is dead' },
  )
  await keep(asConsumer(200, 'GET', 'callbacks'))
  const shown = await keep(asConsumer(200, 'GET', `callbacks/${deadId}`))
  expect(shown).toContain('********')
  await keep(asConsumer(200, 'GET', 'callback-signing-secrets'))
  await keep(asOperator(200, 'GET', 'callbacks'))
  await keep(asOperator(200, 'GET', `callbacks/${deadId}`))
  await keep(asOperator(200, 'GET', 'callback-origins'))
  const listed = await runCommand(directory, ['callbacks', 'list'])
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' })
  answers.push(listed.stdout)
  await keep(asConsumer(202, 'POST', `callbacks/${deadId}/replay`))
  return answers.join('\n')
}

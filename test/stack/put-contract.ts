import { aCaller, signedIn } from './a-caller.ts'
import type { Credentials } from './start-despatch.ts'

/** Puts, as the operator, a contract for letters of the consumer. */
export async function putContract(
  { baseUrl, opsUrl, consumer: { userName }, operator }: Credentials,
  { jobType, templateReference }: { jobType: string; templateReference: string },
  terms: object,
): Promise<void> {
  const headers = await signedIn(baseUrl, operator)
  const call = aCaller(`${opsUrl}/administration/v1/consumers`, headers)
  const { body } = await call<{ consumers: { consumerId: string; userName: string }[] }>('GET', '')
  const { consumerId } = body.consumers.find((one) => one.userName === userName)!
  const path = `/${consumerId}/contracts/${jobType}/${templateReference}`
  const { status, text } = await call('PUT', path, { production: 'letter', ...terms })
  if (status >= 300) throw new Error(`The contract is refused: ${status} ${text}`)
}

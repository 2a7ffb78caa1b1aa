import type { ConsumersResponse } from '@despatch/contracts/administration/consumer'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

/** Returns the id of the consumer with a user name. Throws a Failure if there is none. */
export async function findConsumerId({ send }: Session, userName: string): Promise<string> {
  const query = new URLSearchParams({ userName })
  const { consumers } = await send<ConsumersResponse>('GET', `/consumers?${query}`)
  const [consumer] = consumers
  if (!consumer) throw new Failure(`there is no consumer ${userName}`, { exitCode: 1 })
  return consumer.consumerId
}

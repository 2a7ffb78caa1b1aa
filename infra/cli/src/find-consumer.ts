import type {
  ConsumerResponse,
  ConsumersResponse,
} from '@despatch/contracts/administration/consumer'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

/** Returns the consumer with a user name. Throws a Failure if there is none. */
export async function findConsumer({ send }: Session, userName: string): Promise<ConsumerResponse> {
  const query = new URLSearchParams({ userName })
  const { consumers } = await send<ConsumersResponse>('GET', `/consumers?${query}`)
  const [consumer] = consumers
  if (!consumer) throw new Failure(`there is no consumer ${userName}`, { exitCode: 1 })
  return consumer
}

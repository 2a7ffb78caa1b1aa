import { beginConsumer, ConsumerPage } from '../consumers/consumer.tsx'
import { ConsumersPage } from '../consumers/list.tsx'
import { ownQuery } from '../parts/api.ts'
import { start } from '../parts/shell.tsx'

const { consumer: consumerId } = ownQuery()

if (consumerId) showConsumer(consumerId)
else start(ConsumersPage)

function showConsumer(id: string): void {
  const readings = beginConsumer(id)
  start(() => <ConsumerPage {...readings} />)
}

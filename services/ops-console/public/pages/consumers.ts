import { h } from 'preact'
import { beginConsumer, ConsumerPage } from '../consumers/consumer.ts'
import { ConsumersPage } from '../consumers/list.ts'
import { ownQuery } from '../parts/api.ts'
import { start } from '../parts/shell.ts'

const { consumer: consumerId } = ownQuery()

if (consumerId) showConsumer(consumerId)
else start(ConsumersPage)

function showConsumer(id: string): void {
  const readings = beginConsumer(id)
  start(() => h(ConsumerPage, readings))
}

import { h } from 'preact'
import { ConsumerPage } from '../consumers/consumer.ts'
import { ConsumersPage } from '../consumers/list.ts'
import { ownQuery } from '../parts/api.ts'
import { start } from '../parts/shell.ts'

const { consumer: consumerId } = ownQuery()

if (consumerId) start(() => h(ConsumerPage, { consumerId }))
else start(ConsumersPage)

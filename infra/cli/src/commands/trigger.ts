import { randomUUID } from 'node:crypto'
import { Argument, type Command } from 'commander'
import { type ExampleEvent, exampleEvents, exampleMessages } from '../listen/example-messages.ts'
import { type Forwarded, forwardMessage, renderForwarded } from '../listen/forward-message.ts'
import { keepReceiver, readReceiver } from '../listen/receiver.ts'
import type { Parts } from '../program.ts'

/** Adds the command that sends examples of callbacks to a receiver under development. */
export function addCommands({ program, context }: Parts): void {
  program
    .command('trigger')
    .description('sends an example of a callback to a receiver on this machine, without Despatch')
    .addArgument(new Argument('<event>', 'what it reports').choices([...exampleEvents, 'ALL']))
    .option('--to <address>', 'address of your receiver; default: the one of the last call')
    .addHelpText('after', helpAboutExamples)
    .action(async (event: ExampleEvent | 'ALL', { to }: { to?: string }, command: Command) => {
      const receiver = await readReceiver(to, context)
      context.note(`Secret of your receiver: ${receiver.secret}`)
      const sent: (Forwarded & { event: ExampleEvent })[] = []
      const events = event === 'ALL' ? exampleEvents : [event]
      const examples = exampleMessages(events, { newId: randomUUID, at: new Date() })
      for (const { event, message } of examples) {
        sent.push({ event, ...(await forwardMessage(message, receiver)) })
      }
      if (sent.some(({ httpStatus }) => httpStatus !== undefined)) {
        await keepReceiver(receiver, context)
      }
      const isDelivered = sent.every(({ outcome }) => outcome === 'delivered')
      const lines = sent.map((one) => `${one.event}  ${one.callbackId}  ${renderForwarded(one)}`)
      const isJson = Boolean(command.optsWithGlobals().json)
      const document = { to: receiver.to, sent }
      context.print(isJson ? JSON.stringify(document, null, 2) : lines.join('\n'))
      if (!isDelivered) context.endWith(1)
    })
}

const helpAboutExamples = `
The message is made on this machine, in the form of the real ones and signed with the secret that \`listen\` prints. Its print job does
not exist, and Despatch does not list it. ALL sends one of each event. Exits with 1 unless the receiver answers each with 2xx.`

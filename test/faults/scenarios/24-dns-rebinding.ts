import { findFreePort } from '@despatch/embedded/free-port'
import {
  type ReceiverAnswer,
  startRecordingReceiver,
} from '../../stack/callbacks/recording-receiver.ts'
import type { Scenario } from './scenario.ts'

const name = 'rebinding.example.com'
const allowed = '127.0.0.1'
const forbidden = '127.0.0.2'
const port = await findFreePort()

/**
 * Makes the resolver of a process return a different answer each time: the allowed address, the forbidden one, both.
 */
const flipping = `import{promises as dns}from'node:dns';
const four=[['${allowed}'],['${forbidden}'],['${forbidden}','${allowed}'],['${allowed}','${forbidden}']];
let asked=0;
const {resolve4,resolve6}=dns.Resolver.prototype;
dns.Resolver.prototype.resolve4=async function(n){return n==='${name}'?four[asked++%four.length]:resolve4.call(this,n)};
dns.Resolver.prototype.resolve6=async function(n){return n==='${name}'?['::1']:resolve6.call(this,n)};`

/** Ends each connection, so that the next call resolves the name again. */
const answer = (): ReceiverAnswer => ({
  status: 204,
  write: (response) => {
    response.writeHead(204, { connection: 'close' }).end()
  },
})
const target = () => `http://${name}:${port}`

export const dnsRebinding: Scenario = {
  number: 24,
  name: 'the name of a receiver changes between an allowed and a forbidden address, and has both at once',
  holds:
    'I9; the forbidden address is never connected to, and every callback is delivered to the other',
  queues: 'once',
  isOnce: true,
  async lacks() {
    try {
      await using _ = await startRecordingReceiver({ address: { host: forbidden, port } })
      return undefined
    } catch {
      return `this machine has no second loopback address ${forbidden}`
    }
  },
  plan: {
    settings: { DESPATCH_CALLBACK_ALLOW: `${allowed}/32` },
    memberSettings: (member): Record<string, string> =>
      member.startsWith('callbacks')
        ? { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(flipping)}` }
        : {},
    receivers: [
      { address: { host: allowed, port }, answer, target },
      { address: { host: forbidden, port }, answer, target },
    ],
    strike: (world) => world.blow('the name flips', () => world.pause(6_000)),
    judge: ({ receivers }, { deliveries }) => {
      const connections = receivers[1]!.connections()
      const outcomes = deliveries.callbacks.flatMap(({ attempts }) =>
        attempts.map(({ outcome }) => outcome),
      )
      return [
        ...(connections === 0
          ? []
          : [
              {
                rule: 'nothing but an allowed address is connected to',
                subject: forbidden,
                detail: `was connected to ${connections} times`,
              },
            ]),
        ...(outcomes.includes('blocked_address')
          ? []
          : [{ rule: 'the fault took place', subject: name, detail: 'was never forbidden' }]),
      ]
    },
  },
}

import { setTimeout } from 'node:timers/promises'
import type { PasswordRecovery } from '@despatch/access/recover-password'
import type { Account } from '@despatch/store/access/consumers'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import type { Mail, Mailbox } from './mail.ts'

export type RecoveryMail = {
  /** Creates a code for the consumer and mails it in the background, so that the response does not wait. */
  start(consumer: Account): void
  /** Waits for a mail that is being sent, and drops mails that wait for a retry. */
  close(): Promise<void>
}

type RecoveryMailOptions = {
  recovery: Pick<PasswordRecovery, 'issueCode'>
  mailbox: Mailbox
  log: Logger
  metrics: Registry
  /** The pause before each retry. */
  retryPausesMs?: readonly number[]
}

/** Failures are logged by consumer id and error code only, because the text from a mail server repeats the address. */
export function createRecoveryMail(options: RecoveryMailOptions): RecoveryMail {
  const { recovery, mailbox, log, metrics, retryPausesMs = [1_000, 5_000, 30_000] } = options
  const outcomes = new Counter({
    name: 'recovery_mails_total',
    help: 'Recovery codes requested with the right user name and address, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  async function run({ id: consumerId, email }: Account): Promise<void> {
    try {
      const code = await recovery.issueCode(consumerId)
      if (code === undefined) {
        outcomes.inc({ outcome: 'too-many' })
        log.warn({ consumerId }, 'recovery-mail.too-many')
        return
      }
      await send(consumerId, renderMail(email!, code))
      outcomes.inc({ outcome: 'sent' })
      log.info({ consumerId }, 'recovery-mail.sent')
    } catch (error) {
      outcomes.inc({ outcome: 'failed' })
      log.error({ consumerId, code: codeOf(error) }, 'recovery-mail.failed')
    }
  }

  async function send(consumerId: string, mail: Mail): Promise<void> {
    for (const pauseMs of retryPausesMs) {
      try {
        return await mailbox.send(mail)
      } catch (error) {
        if (closing.signal.aborted) throw error
        log.warn({ consumerId, code: codeOf(error), pauseMs }, 'recovery-mail.delayed')
        await setTimeout(pauseMs, undefined, { signal: closing.signal })
      }
    }
    await mailbox.send(mail)
  }

  return {
    start: (consumer) => {
      const running: Promise<void> = run(consumer).finally(() => underWay.delete(running))
      underWay.add(running)
    },
    close: async () => {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}

function renderMail(to: string, code: string): Mail {
  return {
    to,
    subject: 'Your Despatch recovery code',
    text: [
      `Your recovery code is ${code}.`,
      '',
      'Send it as verifyCode, together with your user name and a new password. It works once, within one hour; a newer code',
      'replaces it. If you did not request it, nothing has changed and you need not do anything.',
      '',
    ].join('\n'),
  }
}

function codeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  const parts = [code, responseCode].filter(
    (part) => typeof part === 'number' || (typeof part === 'string' && /^[\w-]+$/.test(part)),
  )
  return parts.join(' ') || 'unknown'
}

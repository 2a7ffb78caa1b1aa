import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { email, startAccess } from './an-access-service.ts'

const userName = 'notify'
const done = { status: 200, body: {} }
const newPassword = 'Correct horse 1!'

async function anAccessService(settings: Record<string, string>) {
  const access = await startAccess(settings)
  onTestFinished(() => access.stop())
  const askFor = (body: object = {}) => access.post('new-password', { userName, email, ...body })
  const logged = (event: string) =>
    access.lines.filter((line) => line.includes(event)).map((line) => JSON.parse(line))
  const loggedOnce = (event: string) =>
    eventually(() => logged(event)[0], { message: `${event} is logged` })
  return { ...access, askFor, logged, loggedOnce }
}

type Received = { from: string; to: string[]; text: string }

/** A local mail server. It refuses the first `refusals` mails. */
async function aMailServer({ refusals = 0, reply = 451 } = {}) {
  const received: Received[] = []
  let tries = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        tries += 1
        if (tries <= refusals) {
          return callback(Object.assign(new Error(`no mail for ${email}`), { responseCode: reply }))
        }
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  const settings = {
    DESPATCH_SMTP_URL: `smtp://127.0.0.1:${port}`,
    DESPATCH_MAIL_FROM: 'no-reply@despatch.test',
  }
  return { settings, received, tries: () => tries }
}

async function aDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-mail-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'mail')
}

function codeIn(text: string): string {
  return /code is (\d{6})\./.exec(text)?.[1] ?? ''
}

describe('200', () => {
  test('mails a code to the stored address, and the code can set a new password', async () => {
    const { settings, received } = await aMailServer()
    const { askFor, post, signIn, lines } = await anAccessService(settings)

    expect(await askFor({ email: email.toUpperCase() })).toEqual(done)

    const mail = await eventually(() => received[0], { message: 'the mail has come' })
    expect(mail).toMatchObject({ from: 'no-reply@despatch.test', to: [email] })
    expect(mail.text).toMatch(/^Subject: Your Despatch recovery code\r$/m)
    const verifyCode = codeIn(mail.text)
    expect(await post('password', { userName, verifyCode, newPassword })).toEqual(done)
    expect((await signIn(userName, newPassword)).status).toBe(200)
    for (const secret of [verifyCode, email, email.toUpperCase()]) {
      expect(lines.join('')).not.toContain(secret)
    }
  })

  test('gives all callers the same answer, and sends mail only to the address of one enabled consumer', async () => {
    const { settings, received } = await aMailServer()
    const { askFor, seed, change, loggedOnce, db } = await anAccessService(settings)
    await change({ email: null }, await seed('without-address'))
    await change({ disabled_at: new Date() }, await seed('disabled'))

    const answers = [
      await askFor({ userName: 'nobody' }),
      await askFor({ email: 'somebody-else@example.test' }),
      await askFor({ userName: 'NOTIFY' }),
      await askFor({ userName: 'without-address' }),
      await askFor({ userName: 'disabled' }),
      await askFor(),
    ]
    await loggedOnce('recovery-mail.sent')

    expect(answers).toEqual(answers.map(() => done))
    expect(received.map(({ to }) => to)).toEqual([[email]])
    const codes = await db.selectFrom('recovery_code').selectAll().execute()
    expect(codes).toHaveLength(1)
    expect(codes[0]?.code_hash).toHaveLength(32)
  })

  test('limits the codes in an hour, and the last code stays valid', async () => {
    const { settings, received } = await aMailServer()
    const { askFor, post, loggedOnce, pool } = await anAccessService(settings)

    for (const count of [1, 2, 3, 4, 5]) {
      expect(await askFor()).toEqual(done)
      await eventually(() => received.length === count, { message: `${count} mails have come` })
    }
    expect(await askFor()).toEqual(done)
    await loggedOnce('recovery-mail.too-many')
    const verifyCode = codeIn(received[4]!.text)
    expect(await post('password', { userName, verifyCode, newPassword })).toEqual(done)

    await pool.query(
      `update recovery_code set issued_at = array(select at - interval '1 hour' from unnest(issued_at) at)`,
    )
    expect(await askFor()).toEqual(done)
    await eventually(() => received.length === 6, { message: 'another mail has come' })
  })

  test('retries when the mail server fails, after the answer was sent', async () => {
    const { settings, received, tries } = await aMailServer({ refusals: 1 })
    const { askFor, loggedOnce, consumerId, lines } = await anAccessService(settings)

    expect(await askFor()).toEqual(done)

    const { consumerId: logged, code } = await loggedOnce('recovery-mail.delayed')
    expect({ logged, code }).toEqual({ logged: consumerId, code: 'EMESSAGE 451' })
    await eventually(() => received.length === 1, { message: 'the mail has come after all' })
    expect(tries()).toBe(2)
    expect(lines.join('')).not.toContain(email)
  })

  test('logs and counts an unavailable mail server, without changing the answer', async () => {
    const { service, askFor, loggedOnce, lines, consumerId } = await anAccessService({
      DESPATCH_SMTP_URL: 'smtp://127.0.0.1:1',
      DESPATCH_MAIL_FROM: 'no-reply@despatch.test',
    })

    expect(await askFor()).toEqual(done)
    await loggedOnce('recovery-mail.delayed')
    await service.close()

    expect(await loggedOnce('recovery-mail.failed')).toMatchObject({ consumerId })
    expect(lines.join('')).not.toContain(email)
  })

  test('writes the mail to a file that only its owner can read if there is no mail server', async () => {
    const directory = await aDirectory()
    const { askFor, post } = await anAccessService({ DESPATCH_MAIL_DIR: directory })

    expect(await askFor()).toEqual(done)

    const name = await eventually(
      async () => (await readdir(directory)).find((file) => file.endsWith('.eml')),
      { message: 'the mail is written' },
    )
    const path = join(directory, name)
    const text = await readFile(path, 'utf8')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(text).toMatch(/^From: despatch@localhost\r?$/m)
    expect(text).toMatch(new RegExp(`^To: ${email}\r?$`, 'm'))
    const verifyCode = codeIn(text)
    expect(await post('password', { userName, verifyCode, newPassword })).toEqual(done)
  })
})

test('503: no way to send mail is configured', async () => {
  const { askFor } = await anAccessService({})

  expect(await askFor()).toMatchObject({
    status: 503,
    body: [
      {
        status: 503,
        code: 503,
        title: 'Service Unavailable',
        detail: 'Recovery codes cannot be sent: no mail server is set up',
      },
    ],
  })
})

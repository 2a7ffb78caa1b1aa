// Loaded before a service's main.ts (`node --import`). Waits until the servers that WAIT_FOR names accept connections.
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const deadlineMs = 120_000
const pollMs = 250

for (const address of (process.env.WAIT_FOR ?? '').split(' ').filter(Boolean)) {
  const [host = '', port = ''] = address.split(':')
  const deadline = Date.now() + deadlineMs
  while (!(await takesConnections(host, Number(port)))) {
    if (Date.now() > deadline) {
      process.stderr.write(`${address} takes no connections\n`)
      process.exit(1)
    }
    await pause(pollMs)
  }
}

function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const end = (connected: boolean) => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.setTimeout(1000, () => end(false))
  })
}

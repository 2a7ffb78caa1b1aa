import { BlockList, isIP } from 'node:net'
import { wrongUsage } from '../failure.ts'

const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')

/**
 * Parses the address to listen on. The kit shows everything it receives, so it may only listen on this machine or its
 * own network. Throws a Failure for any other address.
 */
export function parseListenAddress(baseUrl: string): { host: string; port: number } {
  const url = URL.parse(baseUrl)
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search || url.username) {
    throw wrongUsage(
      '--base-url must be an http address with only a host and a port, such as http://127.0.0.1:9090',
    )
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const isNear =
    host === 'localhost' || (family !== 0 && near.check(host, family === 6 ? 'ipv6' : 'ipv4'))
  if (!isNear) {
    throw wrongUsage(`--base-url must be a loopback or private address of this machine: ${host}`)
  }
  return { host, port: Number(url.port || 80) }
}

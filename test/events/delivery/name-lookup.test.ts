import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { createResolve } from '../../../src/lib/addresses.ts'
import { testClock } from '../../support/service.ts'

const A = 1
const AAAA = 28
const QUESTION = 12

/** The records of each name; names that begin with `silent` get no response. */
type Zone = Record<string, { [A]?: number[][]; [AAAA]?: number[][] }>

interface DnsServer {
  /** In the format of `node:dns`. */
  readonly address: string
  readonly asked: string[]
  /** Finally responds that the silent names do not exist. */
  breakSilence(): void
  close(): void
}

const opened: DnsServer[] = []
let usual: string[]
beforeEach(() => {
  usual = getServers()
})
afterEach(() => {
  setServers(usual)
  for (const server of opened.splice(0)) server.close()
})

function nameIn(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = QUESTION
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

/** Encodes one record of the response with a TTL of 0; its name is the name in the question. */
const record = (type: number, address: number[]) =>
  Buffer.from([0xc0, QUESTION, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address])

function answer(message: Buffer, zone: Zone, end: number, name: string): Buffer {
  const type = message.readUInt16BE(end) as typeof A | typeof AAAA
  const records = (zone[name]?.[type] ?? []).map((address) => record(type, address))
  const head = Buffer.from(message.subarray(0, QUESTION))
  head.set([0x81, zone[name] ? 0x80 : 0x83], 2)
  head.set([0, 1, 0, records.length, 0, 0, 0, 0], 4)
  return Buffer.concat([head, message.subarray(QUESTION, end + 4), ...records])
}

async function startDns(zone: Zone): Promise<DnsServer> {
  const socket: Socket = createSocket('udp4')
  const asked: string[] = []
  const withheld: (() => void)[] = []
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const { name, end } = nameIn(message)
    const send = () => socket.send(answer(message, zone, end, name), from.port, from.address)
    asked.push(name)
    if (name.startsWith('silent')) withheld.push(send)
    else send()
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', () => resolve()))
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    breakSilence: () => {
      for (const send of withheld) send()
    },
    close: () => void socket.close(),
  }
  opened.push(server)
  return server
}

const never = () => false

test('every address of a name, of both families, is looked up each time', async () => {
  const dns = await startDns({
    'hook.example.com': {
      [A]: [
        [93, 184, 216, 34],
        [93, 184, 216, 35],
      ],
      [AAAA]: [[0x26, 6, 0x28, 0, 2, 0x20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]],
    },
  })
  const resolve = createResolve({ clock: testClock(), isTrusted: never, servers: () => [dns.address] })
  const found = ['2606:2800:220:1::1', '93.184.216.34', '93.184.216.35']
  expect([...(await resolve('hook.example.com'))].sort()).toEqual(found)
  const askedOnce = dns.asked.length
  expect([...(await resolve('hook.example.com'))].sort()).toEqual(found)
  expect(dns.asked.length).toBe(2 * askedOnce)
})

test('names whose servers are silent delay no other name', async () => {
  const dns = await startDns({ 'hook.example.com': { [A]: [[93, 184, 216, 34]] } })
  const resolve = createResolve({ clock: testClock(), isTrusted: never, servers: () => [dns.address] })
  const silent = Array.from({ length: 64 }, (_, number) => resolve(`silent${number}.example.com`))
  const settled = silent.map((each) => each.catch(() => {}))
  while (dns.asked.length < 128) await Bun.sleep(1)
  const first = await Promise.race([resolve('hook.example.com'), ...settled])
  expect(first).toEqual(['93.184.216.34'])
  dns.breakSilence()
  await Promise.all(settled)
})

test('a name of the hosts file needs no server, and an unknown one is refused', async () => {
  const dns = await startDns({})
  const resolve = createResolve({ clock: testClock(), isTrusted: never, servers: () => [dns.address] })
  expect(await resolve('localhost')).toContain('127.0.0.1')
  expect(dns.asked).toEqual([])
  await expect(resolve('nobody.example.com')).rejects.toThrow()
})

test('the system resolver is used for names unknown to DNS, for trusted hosts alone', async () => {
  const dns = await startDns({})
  const isTrusted = (host: string) => host === 'trusted..invalid'
  const resolve = createResolve({ clock: testClock(), isTrusted, servers: () => [dns.address] })
  await expect(resolve('other..invalid')).rejects.toMatchObject({ code: expect.stringMatching(/^DNS_/) })
  await expect(resolve('trusted..invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('changed DNS servers of the machine are used within ten seconds', async () => {
  const before = await startDns({ 'hook.example.com': { [A]: [[93, 184, 216, 34]] } })
  const after = await startDns({ 'hook.example.com': { [A]: [[93, 184, 216, 35]] } })
  let current = before
  const clock = testClock()
  const resolve = createResolve({ clock, isTrusted: never, servers: () => [current.address] })
  expect(await resolve('hook.example.com')).toEqual(['93.184.216.34'])
  current = after
  clock.advance(9_999)
  expect(await resolve('hook.example.com')).toEqual(['93.184.216.34'])
  clock.advance(1)
  expect(await resolve('hook.example.com')).toEqual(['93.184.216.35'])
})

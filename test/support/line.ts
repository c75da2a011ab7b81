import { connect, createServer, type Socket } from 'node:net'

/** A connection of one device to a server, which can be cut like a phone's. */
export interface Line {
  readonly url: string
  isCut: boolean
  /** Whether responses are lost. */
  isLosing: boolean
  /** Closes open connections and blocks new ones until `join`. */
  cut(): void
  /** From now on requests arrive and their responses are lost, until `cut` or `join`. */
  loseAnswers(): void
  join(): void
  /** Routes new connections to another server. */
  leadTo(url: string): void
  close(): void
}

/** Listens on a port and forwards its connections to another one. */
export async function startLine(to: string): Promise<Line> {
  let target = new URL(to)
  const open = new Set<Socket>()
  const end = () => {
    for (const socket of open) socket.destroy()
  }
  const keep = (socket: Socket, other: () => Socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      other().destroy()
    })
  }
  const server = createServer((near) => {
    if (line.isCut) return void near.destroy()
    const far = connect(Number(target.port), target.hostname)
    keep(near, () => far)
    keep(far, () => near)
    near.on('data', (data) => far.write(data))
    far.on('data', (data) => void (line.isLosing || near.write(data)))
  })
  await new Promise<void>((resolve) => server.listen(0, target.hostname, resolve))
  const { port: own } = server.address() as { port: number }
  const line: Line = {
    url: `http://${target.hostname}:${own}`,
    isCut: false,
    isLosing: false,
    cut: () => {
      line.isCut = true
      line.isLosing = false
      end()
    },
    loseAnswers: () => {
      line.isLosing = true
    },
    join: () => {
      line.isCut = false
      if (line.isLosing) end()
      line.isLosing = false
    },
    leadTo: (url) => {
      target = new URL(url)
    },
    close: () => {
      server.close()
      end()
    },
  }
  return line
}

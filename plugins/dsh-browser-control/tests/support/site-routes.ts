/** The routes of the fixture server that are no page: slow, hanging, failing, redirecting, downloading, asking for a password. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>

/** An HTML answer unless `headers` say otherwise; never cached. */
export function send(response: ServerResponse, status: number, body: string | Uint8Array = '', headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers })
  response.end(body)
}

const attachment: Handler = (_request, response, url) =>
  send(response, 200, 'a,b\n1,2\n', {
    'content-type': 'text/csv',
    'content-disposition': `attachment; filename="${url.searchParams.get('name') ?? 'report.csv'}"`,
  })

export const routes: Readonly<Record<string, Handler>> = {
  /** Answers after `ms` (20000); `title` and `body` as given. */
  '/slow': (_request, response, { searchParams }) => {
    const timer = setTimeout(
      () => send(response, 200, `<title>${searchParams.get('title') ?? 'slow'}</title>${searchParams.get('body') ?? 'late'}`),
      Number(searchParams.get('ms') ?? 20_000),
    )
    response.once('close', () => clearTimeout(timer))
  },
  /** Accepts the request and never answers. */
  '/hang': () => {},
  /** Headers, then nothing more: a load that never ends. */
  '/hang.png': (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' })
    response.flushHeaders()
  },
  '/204': (_request, response) => send(response, 204),
  /** Redirects to `to`, with status `c` (302). */
  '/redirect': (_request, response, { searchParams }) =>
    send(response, Number(searchParams.get('c') ?? 302), '', { location: searchParams.get('to') ?? '/' }),
  /** A CSV as an attachment called `name` (report.csv). */
  '/download': attachment,
  '/file.csv': attachment,
  /** Status `c` (500) with a small page that says so. */
  '/status': (_request, response, { searchParams }) => {
    const code = Number(searchParams.get('c') ?? 500)
    send(response, code, `<title>e</title><h1>Server said ${code}</h1>`)
  },
  /** HTTP Basic; any name and password will do. */
  '/auth': (request, response) =>
    request.headers.authorization
      ? send(response, 200, '<title>in</title><h1>Welcome</h1>')
      : send(response, 401, '<h1>Login needed</h1>', { 'www-authenticate': 'Basic realm="vault"' }),
  /** Sets each `cookie` (a Set-Cookie line), else an HttpOnly and a partitioned one; then 302 to `to`, if given. */
  '/setcookie': (_request, response, { searchParams }) => {
    const given = searchParams.getAll('cookie')
    const cookies = given.length > 0 ? given : ['sid=server-secret; HttpOnly; Path=/', 'part=p1; Path=/; Secure; SameSite=None; Partitioned']
    const to = searchParams.get('to')
    send(response, to === null ? 200 : 302, '<title>cookies set</title>', { 'set-cookie': cookies, ...(to !== null && { location: to }) })
  },
  /** The cookies that arrived, as JSON. */
  '/whoami': (request, response) => json(response, { cookie: request.headers.cookie ?? '' }),
  '/echo-headers': (request, response) => json(response, request.headers),
  /** An event stream that says `hi` and stays open. */
  '/sse': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: hi\n\n')
  },
}

const json = (response: ServerResponse, value: unknown): void => send(response, 200, JSON.stringify(value), { 'content-type': 'application/json' })

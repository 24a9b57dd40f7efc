/** What a starting browser says on stderr, and what that means when it does not come up. */
import { BrowserError, type ErrorCode } from '../errors.ts'
import { quote } from '../page/snapshot-text.ts'
import type { FoundChrome } from './find-chrome.ts'

/** Beyond this the oldest lines are dropped. */
const KEPT_LINES = 200

/** Noise of a healthy Chrome on a system without a desktop bus or a graphics card. */
const NOISE = /dbus\/|\/gpu\/|gpu_|vaapi|libva|gcm\/|registration_request|Gtk-WARNING|zygote_linux\.cc|unexpected operator|DevTools listening/

/** Lines that explain a failed start by themselves. Those of `isFinal` are said by a Chrome that goes on running without an endpoint. */
const MEANINGS: readonly {
  readonly line: RegExp
  readonly code: ErrorCode
  readonly what: string
  readonly next?: string
  readonly isFinal?: true
}[] = [
  {
    line: /requires a non-default data directory/,
    code: 'NO_ENDPOINT',
    what: 'refuses remote debugging on its default profile',
    next: 'Set profileDir to a folder of its own.',
    isFinal: true,
  },
  {
    line: /remote debugging is disallowed/i,
    code: 'NO_ENDPOINT',
    what: 'is forbidden to offer remote debugging by a policy of this computer (RemoteDebuggingAllowed)',
    next: 'Ask whoever administers this computer, or use a computer without that policy.',
    isFinal: true,
  },
  {
    line: /Missing X server or \$DISPLAY|Failed to connect to Wayland display/,
    code: 'NO_DISPLAY',
    what: 'could not open the display',
    next: 'Correct DISPLAY, or set headless to true.',
  },
  {
    line: /No usable sandbox|Running as root without --no-sandbox|Failed to move to new namespace|sandbox_host_linux/,
    code: 'CHROME_DIED',
    what: 'found no usable sandbox',
    next: 'Allow unprivileged user namespaces on this computer, or add --no-sandbox to chromeArgs if only trusted pages are visited.',
  },
  {
    line: /error while loading shared libraries/,
    code: 'CHROME_DIED',
    what: 'misses a library',
    next: "Install the browser from the system's own packages.",
  },
]

// eslint-disable-next-line no-control-regex -- a terminal's colors begin with that character
const COLOR = /\u001B\[[\d;]*m/g

/** `Chrome at /usr/bin/google-chrome`: how messages name what was started. */
export const programName = ({ name, path }: FoundChrome): string => `${name === 'browser' ? 'The program' : name} at ${path}`

export class StartLog {
  readonly #chrome: FoundChrome
  /** Whole lines, oldest first; the last entry is the line being received. */
  readonly #lines: string[] = ['']
  #endpoint: string | undefined

  constructor(chrome: FoundChrome) {
    this.#chrome = chrome
  }

  /** The endpoint that was named, if any yet. */
  get endpoint(): string | undefined {
    return this.#endpoint
  }

  /** Takes a piece of stderr; returns the endpoint the first time it has been named. */
  add(text: string): string | undefined {
    const [first = '', ...rest] = text.split(/\r?\n/)
    this.#lines.push((this.#lines.pop() ?? '') + first, ...rest)
    this.#lines.splice(0, this.#lines.length - KEPT_LINES)
    if (this.#endpoint !== undefined) return undefined
    this.#endpoint = this.#lines
      .slice(0, -1)
      .map((line) => /^DevTools listening on (ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\/\S+)$/.exec(line)?.[1])
      .find(Boolean)
    return this.#endpoint
  }

  /** The error for a browser that runs and has said that it will open no endpoint. */
  refusal(): BrowserError | undefined {
    const known = this.#known()
    return known?.isFinal ? this.#error(known.code, known.what, known.next) : undefined
  }

  /** CHROME_DIED, or the code that its words call for. */
  died(code: number | null, signal: NodeJS.Signals | null): BrowserError {
    const known = this.#known()
    const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
    return this.#error(
      known?.code ?? 'CHROME_DIED',
      `${known ? `${known.what}; it ` : ''}${end} before it opened an endpoint`,
      known?.next ?? this.#isItOne(),
    )
  }

  /** The next step for a program whose name does not say that it is a browser. */
  #isItOne(): string | undefined {
    return this.#chrome.name === 'browser'
      ? 'If that is no browser, correct `chromePath` (`--chrome-path`); else run `dsh-browser-control doctor`, then call again.'
      : undefined
  }

  noEndpoint(waitedMs: number): BrowserError {
    const { packaging } = this.#chrome
    const next =
      packaging &&
      `It is a ${packaging}, which sees only part of the disk: set profileDir to a folder in your home that is not hidden, or use another browser (chromePath).`
    return this.#error(
      'NO_ENDPOINT',
      `opened no endpoint within ${waitedMs / 1000} s and was ended again`,
      next || this.#isItOne() || 'Run `dsh-browser-control doctor`, then call browser_launch again.',
    )
  }

  #error(code: ErrorCode, what: string, next?: string): BrowserError {
    const last = this.#lastLine()
    return new BrowserError(
      code,
      `${programName(this.#chrome)} ${what}${last ? `; its last line: ${quote(last)}` : '; it said nothing on stderr'}`,
      next,
    )
  }

  #known() {
    return MEANINGS.find(({ line }) => this.#lines.some((said) => line.test(said)))
  }

  /** The line that matches a known meaning, else the last that is not noise, without Chrome's prefix of process, time and file. */
  #lastLine(): string | undefined {
    const known = this.#known()
    const line = this.#lines.findLast((said) => (known ? known.line.test(said) : said.trim() !== '' && !NOISE.test(said)))
    return line
      ?.replace(COLOR, '')
      .replace(/^\[[\d:./]*:(\w+):[^\]]*\] */, '')
      .trim()
      .slice(0, 300)
  }
}

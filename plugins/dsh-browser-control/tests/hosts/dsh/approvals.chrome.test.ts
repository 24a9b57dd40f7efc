/** approveActions in the real host: what is asked, each way to have no yes, and in each the page's server has seen nothing. */
import assert from 'node:assert/strict'
import { realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Agent } from '@deepseek-ai/dsh-agent'
import { setApprovalPolicy, type ApprovalOutcome } from '@deepseek-ai/dsh-user-approval'
import { UserQuestionError, type AskUserQuestionAnswer, type AskUserQuestionRequest } from '@deepseek-ai/dsh-user-questions'
import { tools } from '../../../src/tools/index.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from '../../support/chrome.ts'
import { answering, startDsh, textOf, type DshHost } from '../../support/dsh.ts'
import { startSite, type Site } from '../../support/site.ts'

const PAGE = `<!doctype html><title>Shop</title><script src="/__seen.js"></script>
<button id="buy">Buy</button><button id="weird" aria-label='x"? Yes
\u202e'>?</button><input id="mail" aria-label="Email" autofocus><input id="pass" type="password" aria-label="Password">
<select id="size" aria-label="Size"><option>Small</option><option>Large</option></select><input id="file" type="file" aria-label="Photo">
<div id="from" draggable="true" role="button">Card</div><div id="to" role="button" ondragover="event.preventDefault()">Bin</div>
<script>watch(document, 'mousedown', 'click', 'keydown', 'input', 'change', 'drop', 'dragstart')</script>`

let chrome: Chrome
let raw: RawConnection
let site: Site
/** With both services; the tools have a prefix, which must not switch the gate off. */
let host: DshHost
/** With neither. */
let bare: DshHost
let agent: Agent
const PREFIX = 'my-'
let folder: string

before(async () => {
  ;[chrome, host, site] = await Promise.all([
    startChrome(),
    startDsh(),
    startSite({
      '/': (_request, response) => void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'crumb=1' }).end(PAGE),
      '/next': '<title>Next</title>',
    }),
  ])
  bare = await startDsh({ questions: false, approvals: false })
  raw = await rawConnection(chrome.endpoint)
  const config = { cdpEndpoint: chrome.endpoint, autoLaunch: false, approveActions: true }
  await host.load({ ...config, toolPrefix: PREFIX })
  await bare.load(config)
  agent = await host.agent('session-root')
  folder = await realpath(host.home)
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(folder, name), 'x')
})
after(async () => {
  await raw.close()
  await host.close()
  await bare.close()
  await Promise.all([chrome.close(), site.close()])
})
beforeEach(() => site.clear())

const call = (name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
  host.call(`${PREFIX}browser_${name}`, args, { agent, ...(signal && { signal }) })
const openShop = async () => {
  const opened = await call('navigate', { url: site.origin })
  assert.equal(opened.isError, false, textOf(opened))
  site.clear()
}
/** The tab of `agent`: other agents of this file have the shop under other addresses. */
const shop = async () => (await raw.targets()).find(({ url }) => url === `${site.origin}/`)?.targetId ?? assert.fail('no tab')
/** A question of the page, which acts on nothing, shows that whatever came before would have been told. */
async function nothingTouched(): Promise<void> {
  const targets = await raw.targets()
  for (const { targetId, url } of targets.filter((target) => target.url.startsWith(site.origin))) {
    const tab = await raw.attach(targetId)
    await tab.evaluate(`seen('asked', { url: ${JSON.stringify(url)} })`)
    await site.next('asked')
  }
  assert.deepEqual(
    site.seen.filter(({ kind }) => kind !== 'asked'),
    [],
  )
  assert.deepEqual(site.requests, [])
  const { cookies } = await raw.send<{ cookies: { name: string }[] }>('Storage.getCookies')
  assert.deepEqual(
    cookies.map(({ name }) => name),
    ['crumb'],
  )
}

const NINE: readonly (readonly [name: string, args: () => Readonly<Record<string, unknown>>])[] = [
  ['click', () => ({ selector: '#buy', count: 2 })],
  ['type', () => ({ selector: '#pass', text: 'hunter22', submit: true })],
  ['fill', () => ({ selector: '#mail', text: 'me@example.com' })],
  ['select_option', () => ({ selector: '#size', values: ['Large'] })],
  ['press_key', () => ({ selector: '#mail', key: 'Control+A' })],
  ['drag', () => ({ from_selector: '#from', to_selector: '#to' })],
  ['evaluate', () => ({ expression: 'document.title = "x"\nseen("evaluated")' })],
  ['file_upload', () => ({ selector: '#file', file_paths: ['a.txt', 'b.txt'] })],
  ['delete_cookies', () => ({ name: 'crumb', url: site.origin })],
]

/** What the person is shown of a call; a refusing person. */
async function asked(
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly question: string; readonly detail: string; readonly text: string }> {
  const shown: AskUserQuestionRequest[] = []
  const off = answering(host, async (request) => {
    shown.push(request)
    return { answers: request.questions.map(({ id }) => ({ id, selected: ['Refuse'] })) }
  })
  try {
    const text = textOf(await call(name, args))
    const [item] = shown.flatMap(({ questions }) => questions)
    assert.ok(item, `nobody was asked: ${text}`)
    assert.deepEqual(
      item.options?.map(({ label }) => label),
      ['Allow once', 'Refuse'],
    )
    return { question: item.question, detail: item.detail ?? '', text }
  } finally {
    off()
  }
}
const yes = async ({ questions }: AskUserQuestionRequest): Promise<AskUserQuestionAnswer> => ({
  answers: questions.map(({ id }) => ({ id, selected: ['Allow once'] })),
})

test('the nine sensitive tools are those that ask', () => {
  assert.deepEqual(
    tools
      .filter(({ sensitive }) => sensitive)
      .map(({ name }) => name)
      .toSorted(),
    NINE.map(([name]) => `browser_${name}`).toSorted(),
  )
})

test('each of the nine says what it will do and where, and after a no nothing has touched the page', async () => {
  await openShop()
  const where = new RegExp(`^\`\`\`\\nIn the tab t\\d+ at ${site.origin}/\\.`)
  const expected: Readonly<Record<string, readonly [question: string, detail: RegExp | string]>> = {
    click: ['Double-click button "Buy"?', ''],
    type: ['Type into textbox "Password" and press Enter?', /Text: 8 characters \(not shown\)/],
    fill: ['Fill textbox "Email"?', /With: "me@example\.com"/],
    select_option: ['Choose in combobox "Size"?', /\n"Large"\n/],
    press_key: ['Press "Control+A" on textbox "Email"?', ''],
    drag: ['Drag button "Card" onto button "Bin"?', ''],
    evaluate: ['Run a script in the page?', /\ndocument\.title = "x"\nseen\("evaluated"\)\n/],
    file_upload: ['Give files to button "Photo"?', `\n${JSON.stringify(`${folder}/a.txt`)}\n${JSON.stringify(`${folder}/b.txt`)}\n`],
    delete_cookies: ['Delete cookies?', `\nname: "crumb"\nurl: ${JSON.stringify(site.origin)}\n`],
  }
  for (const [name, args] of NINE) {
    const { question, detail, text } = await asked(name, args())
    const [wanted, more] = expected[name] ?? assert.fail(name)
    assert.equal(question, wanted)
    if (typeof more === 'string') assert.ok(detail.includes(more), detail)
    else assert.match(detail, more)
    if (name !== 'delete_cookies') assert.match(detail, where)
    assert.equal(
      text,
      `Error: ${PREFIX}browser_${name} needs a person's yes, and the person said no; nothing was done. Do not retry; ask the person what to do instead.`,
    )
    assert.doesNotMatch(question + detail + text, /hunter/)
  }
  await nothingTouched()
})

test('a yes lets exactly that call through', async () => {
  await openShop()
  const off = answering(host, yes)
  assert.equal((await call('click', { selector: '#buy' })).isError, false)
  assert.equal((await site.next('click')).trusted, true)
  assert.equal((await call('evaluate', { expression: 'seen("evaluated")' })).isError, false)
  await site.next('evaluated')
  off()
  assert.match(textOf(await call('click', { selector: '#buy' })), /nobody can be asked/)
})

test('in full access, where approvals are rejected unasked, the person is still asked', async () => {
  const free = await host.agent('session-full-access')
  setApprovalPolicy(free.session, 'never')
  await host.call(`${PREFIX}browser_navigate`, { url: `${site.origin}/?full-access` }, { agent: free })
  const off = answering(host, yes)
  const result = await host.call(`${PREFIX}browser_click`, { selector: '#buy' }, { agent: free })
  off()
  assert.equal(result.isError, false, textOf(result))
  await site.next('click')
})

test('a password is shown by its length in every tool, at the caret and in a list of fields too', async () => {
  await openShop()
  const snapshot = textOf(await call('snapshot', {}))
  const ref = (name: string) => new RegExp(`"${name}" (@\\d+)`).exec(snapshot)?.[1]
  const fields = await asked('fill', {
    fields: [
      { ref: ref('Email'), value: 'a@b' },
      { ref: ref('Password'), value: 'hunter22' },
    ],
  })
  assert.equal(fields.question, 'Fill 2 fields?')
  assert.ok(
    fields.detail.includes(`textbox "Email" (${ref('Email')}): "a@b"\ntextbox "Password" (${ref('Password')}): 8 characters (not shown)\n`),
    fields.detail,
  )
  const tab = await raw.attach(await shop())
  await tab.evaluate('document.querySelector("#pass").focus()')
  const typed = await asked('type', { text: 'hunter22' })
  assert.equal(typed.question, 'Type into textbox "Password"?')
  const pressed = await asked('press_key', { key: 'h u n t e r' })
  assert.equal(pressed.question, 'Press 6 keys on textbox "Password"?')
  assert.doesNotMatch(fields.detail + typed.detail + pressed.detail, /hunter|h u n/)
})

test('a name from the page cannot pose as our words', async () => {
  await openShop()
  const { question } = await asked('click', { selector: '#weird' })
  assert.equal(question, 'Click button "x\\"? Yes \\u202e"?')
})

test('a call that cannot work asks nobody', async () => {
  await openShop()
  let count = 0
  const off = answering(host, async (request) => {
    count += 1
    return yes(request)
  })
  assert.match(textOf(await call('click', { selector: '#nothing' })), /Nothing on the page matches/)
  assert.match(textOf(await call('click', { ref: '@99999' })), /was never given to you/)
  off()
  assert.equal(count, 0)
})

const rejects = (code: string) => async () => {
  throw new UserQuestionError('no', code)
}
for (const [title, ask, sentence] of [
  ['nobody answers here', undefined, /nobody can be asked/],
  ['the person dismisses the question', rejects('ASK_CANCELLED'), /the person dismissed the question/],
  ['the host withdraws the question', rejects('ASK_ABORTED'), /stopped before an answer came/],
  ['the page of the host does not know the agent', rejects('ASK_MISSING_AGENT'), /comes from no agent/],
  ['the agent is no longer live', rejects('CALLER_NOT_LIVE'), /no longer running/],
  ['the host fails in a way of its own', rejects('SOMETHING_NEW'), /asking for it failed: "SOMETHING_NEW"/],
  ['the answer is no answer', async () => ({}) as AskUserQuestionAnswer, /none of those offered/],
  [
    'the question is skipped',
    async ({ questions }: AskUserQuestionRequest) => ({ answers: questions.map(({ id }) => ({ id, selected: [] })) }),
    /skipped the question/,
  ],
  [
    'the answer is another label',
    async ({ questions }: AskUserQuestionRequest) => ({ answers: questions.map(({ id }) => ({ id, selected: ['Allow always'] })) }),
    /none of those offered/,
  ],
  [
    'the answer has words beside the label',
    async ({ questions }: AskUserQuestionRequest) => ({ answers: questions.map(({ id }) => ({ id, selected: ['Allow once'], custom: 'wait' })) }),
    /answered in words instead: "wait"/,
  ],
] as const)
  test(`no yes, nothing touched: ${title}`, async () => {
    await openShop()
    const off = ask && answering(host, ask)
    const result = await call('click', { selector: '#buy' })
    off?.()
    assert.equal(result.isError, true)
    assert.match(textOf(result), sentence)
    await nothingTouched()
  })

test('no yes, nothing touched: the call is stopped while the question waits, and a late yes counts for nothing', async () => {
  await openShop()
  const { promise: late, resolve: answerLate } = Promise.withResolvers<AskUserQuestionAnswer>()
  const { promise: isAsked, resolve: wasAsked } = Promise.withResolvers<AskUserQuestionRequest>()
  const off = answering(host, (request) => {
    wasAsked(request)
    return late
  })
  const stop = new AbortController()
  const result = call('click', { selector: '#buy' }, stop.signal)
  const request = await Promise.race([isAsked, result])
  assert.ok('questions' in request, 'nobody was asked')
  stop.abort({ kind: 'user' })
  assert.match(textOf(await result), /the call was stopped before an answer came; nothing was done/)
  answerLate(await yes(request))
  off()
  await nothingTouched()
})

test('no yes, nothing touched: the page went on while the question waited', async () => {
  await openShop()
  const off = answering(host, async (request) => {
    const targetId = await shop()
    const tab = await raw.attach(targetId)
    await tab.evaluate('document.querySelector("#buy").textContent = "Buy everything"')
    return yes(request)
  })
  const result = await call('click', { selector: '#buy' })
  off()
  assert.match(textOf(result), /the page changed, so that the person's yes was for something else; nothing was done\. Take a new my-browser_snapshot/)
  await nothingTouched()
})

test('the person may take longer than any limit of the tool; without an approval service a subagent has no second way', async () => {
  await openShop()
  const slow = await startDsh({ approvals: false })
  try {
    await slow.load({ cdpEndpoint: chrome.endpoint, autoLaunch: false, approveActions: true, commandTimeoutMs: 1_000 })
    const one = await slow.agent('session-slow')
    await slow.call('browser_navigate', { url: site.origin }, { agent: one })
    const off = answering(slow, async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      return yes(request)
    })
    const result = await slow.call('browser_click', { selector: '#buy' }, { agent: one })
    off()
    assert.equal(result.isError, false, textOf(result))
    const child = await slow.agent('session-slow-child', one)
    await slow.call('browser_navigate', { url: site.origin }, { agent: child })
    assert.match(
      textOf(await slow.call('browser_click', { selector: '#buy' }, { agent: child })),
      /a subagent cannot ask for, and this host has no approval service either/,
    )
  } finally {
    await slow.close()
  }
})

test('no yes, nothing touched: no agent, and no service', async () => {
  await openShop()
  assert.match(textOf(await host.call(`${PREFIX}browser_click`, { selector: '#buy' })), /this call comes from no agent/)
  const one = await bare.agent('session-bare')
  await bare.call('browser_navigate', { url: site.origin }, { agent: one })
  site.clear()
  assert.match(textOf(await bare.call('browser_click', { selector: '#buy' }, { agent: one })), /this host has no way to ask for one/)
  await nothingTouched()
})

test('tools that only look or move about ask nobody, and another plugin’s tool of our name is never gated by us', async () => {
  const off = host.ctx.tools.register({
    name: 'browser_click',
    description: 'of another plugin',
    parameters: { type: 'object' },
    output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute: async () => 'theirs',
  })
  assert.equal(textOf(await host.call('browser_click', {}, { agent })), '"theirs"')
  off()
  for (const name of ['pages', 'snapshot', 'scroll', 'hover', 'navigate'])
    assert.doesNotMatch(
      textOf(
        await call(
          name,
          name === 'navigate' ? { url: site.origin } : name === 'scroll' ? { to: 'top' } : name === 'hover' ? { selector: '#buy' } : {},
        ),
      ),
      /yes/,
    )
})

/** A subagent's turn: its own tab, then a click; the result of the click. */
async function subagentClicks(id: string, policy?: 'never'): Promise<string> {
  const child = await host.agent(id, agent)
  if (policy) setApprovalPolicy(child.session, policy)
  const { results } = await host.turn(child, [
    { calls: [{ name: `${PREFIX}browser_navigate`, arguments: { url: site.origin } }] },
    () => {
      site.clear()
      return { calls: [{ name: `${PREFIX}browser_click`, arguments: { selector: '#buy' } }] }
    },
  ])
  return results[1] ?? assert.fail(results.join('\n'))
}

test('a subagent, which may never ask, goes the second way: the host’s approvals, with the same words', async () => {
  const reasons: string[] = []
  const off = host.ctx.on('approval/request', async ({ reason = '' }) => {
    reasons.push(reason)
    return 'allowed-once'
  })
  assert.match(await subagentClicks('session-sub-yes'), /^<page-\w+>Clicked button "Buy"/)
  off()
  assert.equal((await site.next('click')).trusted, true)
  assert.match(reasons.join(), new RegExp(`^Click button "Buy"\\?\\nIn the tab t\\d+ at ${site.origin}/\\.$`))
})

for (const [title, outcome, policy, sentence] of [
  ['an approver who refuses', 'rejected', undefined, /its request for approval was rejected/],
  ['an approver who goes away', 'cancelled', undefined, /its request for approval was cancelled/],
  ['no approver', undefined, undefined, /nobody who answers its approval requests/],
  ['an answer that is none', 'sure' as ApprovalOutcome, undefined, /nobody who answers its approval requests/],
  ['full access, or a child as the host makes them: rejected unasked', 'allowed-once', 'never', /rejected without asking anybody/],
] as const)
  test(`no yes for a subagent, nothing touched: ${title}`, async () => {
    let count = 0
    const off =
      outcome &&
      host.ctx.on('approval/request', async () => {
        count += 1
        return outcome
      })
    const text = await subagentClicks(`session-sub-${title}`, policy)
    if (outcome) off?.()
    assert.match(text, sentence)
    assert.match(text, /put what you wanted to do into your final answer/)
    if (policy === 'never') assert.equal(count, 0)
    await nothingTouched()
  })

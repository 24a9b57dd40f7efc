// The one place that knows the servers under test. To add one: copy the dsh entry at the end and set its command.
//   attach(c)/launch(c): how to start it against a running Chromium (c.port) / so that it starts its own; c = { node, pkgs, chrome, port, id }
//   ops: abstract operation → list of [tool, args] to call in order. st is a scratch object per server instance.
//   ref(text, role, name): how to find an element's handle in the text of its snapshot.
//   ready(call, st): once after initialize (e.g. learn the page id). tabs: how tabs are addressed ('arg' = every call can name its tab, 'current' = one current tab).
//   daemon: extra processes of the server that are not its children (for memory); done: clean-up after stop.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SCRATCH } from './lib/folders.mjs';
const esc = s => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const AB = c => `${c.pkgs}/agent-browser/bin/agent-browser-linux-x64`;
// Short names: a socket's path may have 103 bytes.
const abEnv = c => { const id = c.id.replace('agent-browser', 'ab'), d = `${tmpdir()}/${id}`; mkdirSync(d, { recursive: true }); return { AGENT_BROWSER_SOCKET_DIR: d, AGENT_BROWSER_NAMESPACE: id, AGENT_BROWSER_NO_VERSION_CHECK: '1', AGENT_BROWSER_EXECUTABLE_PATH: c.chrome, ...(c.port ? { AGENT_BROWSER_CDP: String(c.port) } : { AGENT_BROWSER_ARGS: '--no-sandbox,--disable-gpu' }) }; };
const abRef = (t, role, name) => { const m = new RegExp(`${role} "${esc(name)}" \\[[^\\]]*?ref=(\\w+)`).exec(t); return m && '@' + m[1]; };
const p = 'agent_browser_';
const OURS = () => process.env.OURS ?? new URL('../plugins/dsh-browser-control/lib/cli.js', import.meta.url).pathname;
const OURS_FORM = process.env.OURS_FORM !== '0'; // fill takes fields: [{ref, value}]
const pgrep = s => { try { return execFileSync('pgrep', ['-f', s]).toString().trim().split('\n').map(Number); } catch { return []; } };
const abDaemons = c => pgrep('agent-browser-linux-x64').filter(pid => { try { return execFileSync('cat', [`/proc/${pid}/environ`]).toString().includes(`AGENT_BROWSER_NAMESPACE=${c.id.replace('agent-browser', 'ab')}`); } catch { return false; } });
const pw = { id: 'playwright-mcp', kind: 'mcp', tabs: 'current',
    attach: c => ({ command: c.node, args: [`${c.pkgs}/@playwright/mcp/cli.js`, '--cdp-endpoint', `http://127.0.0.1:${c.port}`] }),
    launch: c => ({ command: c.node, args: [`${c.pkgs}/@playwright/mcp/cli.js`, '--headless', '--no-sandbox', '--isolated', '--executable-path', c.chrome] }),
    ref: (t, role, name) => new RegExp(`${role} "${esc(name)}".*?\\[ref=(\\w+)\\]`).exec(t)?.[1],
    ops: {
      navigate: (st, url) => [['browser_navigate', { url }]], snapshot: () => [['browser_snapshot', {}]], click: (st, ref, name) => [['browser_click', { element: name, target: ref }]],
      fill: (st, ref, text, name) => [['browser_type', { element: name, target: ref, text }]], fillForm: (st, fields) => [['browser_fill_form', { fields: fields.map(f => ({ name: f.name, target: f.ref, type: { text: 'textbox', select: 'combobox', check: 'checkbox' }[f.kind], value: f.value })) }]],
      type: (st, ref, text, name) => [['browser_type', { element: name, target: ref, text, slowly: true }]], press: (st, key) => [['browser_press_key', { key }]], wait: (st, text) => [['browser_wait_for', { text }]], evaluate: (st, js) => [['browser_evaluate', { function: `() => ${js}` }]],
      screenshot: () => [['browser_take_screenshot', {}]], tabList: () => [['browser_tabs', { action: 'list' }]], tabSelect: (st, i) => [['browser_tabs', { action: 'select', index: i }]], console: () => [['browser_console_messages', { level: 'debug' }]], network: () => [['browser_network_requests', { static: true }]],
    } };
export const servers = [
  { id: 'floor-mcp', kind: 'mcp', tabs: 'arg',
    attach: c => ({ command: c.node, args: [new URL('floor-mcp.mjs', import.meta.url).pathname, '--port', String(c.port)] }),
    launch: c => ({ command: c.node, args: [new URL('floor-mcp.mjs', import.meta.url).pathname, '--launch'] }),
    ref: (t, role, name) => new RegExp(`${role} (e\\d+) "${esc(name)}"`).exec(t)?.[1],
    ops: {
      navigate: (st, url) => [['browser_navigate', { url, tab: st.tab }]], snapshot: st => [['browser_snapshot', { tab: st.tab }]], click: (st, ref) => [['browser_click', { ref, tab: st.tab }]],
      fill: (st, ref, value) => [['browser_fill', { ref, value }]], fillForm: (st, fields) => [['browser_fill_form', { fields: fields.map(f => ({ ref: f.ref, kind: f.kind, value: f.value })) }]], type: (st, ref, text) => [['browser_type', { text }]],
      press: (st, key) => [['browser_press', { key }]], wait: (st, text) => [['browser_wait', { text }]], evaluate: (st, js) => [['browser_evaluate', { expression: js, tab: st.tab }]], screenshot: () => [['browser_screenshot', {}]],
      tabList: () => [['browser_tabs', {}]], tabSelect: (st, i) => [['browser_tab_select', { tab: i }]], console: () => [['browser_console', {}]], network: () => [['browser_network', {}]],
    } },
  pw,
  { id: 'chrome-devtools-mcp', kind: 'mcp', tabs: 'arg',
    attach: c => ({ command: c.node, args: [`${c.pkgs}/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js`, '--browserUrl', `http://127.0.0.1:${c.port}`, '--no-usage-statistics', '--no-performance-crux'] }),
    launch: c => ({ command: c.node, args: [`${c.pkgs}/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js`, '--headless', '--isolated', '--executablePath', c.chrome, '--chromeArg=--no-sandbox', '--chromeArg=--disable-gpu', '--no-usage-statistics', '--no-performance-crux'] }),
    ready: async (call, st) => { const r = await call('list_pages', {}); st.ids = [...r.text.matchAll(/^(\d+): /gm)].map(m => +m[1]); st.page = st.ids[0]; },
    ref: (t, role, name) => new RegExp(`uid=(\\S+) ${role} "${esc(name)}"`).exec(t)?.[1],
    ops: {
      navigate: (st, url) => [['navigate_page', { pageId: st.page ?? 1, type: 'url', url }]], snapshot: st => [['take_snapshot', { pageId: st.page }]], click: (st, uid) => [['click', { pageId: st.page, uid }]], fill: (st, uid, value) => [['fill', { pageId: st.page, uid, value }]],
      fillForm: (st, fields) => [['fill_form', { pageId: st.page, elements: fields.map(f => ({ uid: f.ref, value: f.value })) }]], type: (st, ref, text) => [['type_text', { pageId: st.page, text }]], press: (st, key) => [['press_key', { pageId: st.page, key }]], wait: (st, text) => [['wait_for', { pageId: st.page, text: [text] }]],
      evaluate: (st, js) => [['evaluate_script', { pageId: st.page, function: `() => ${js}` }]], screenshot: st => [['take_screenshot', { pageId: st.page }]], tabList: () => [['list_pages', {}]], tabSelect: (st, i) => { return [['select_page', { pageId: st.ids?.[i] ?? i + 1, bringToFront: true }]]; },
      console: st => [['list_console_messages', { pageId: st.page }]], network: st => [['list_network_requests', { pageId: st.page }]],
    } },
  { id: 'agent-browser-mcp', kind: 'mcp', tabs: 'current', daemon: abDaemons, done: async call => { await call(p + 'close', {}).catch(() => {}); },
    attach: c => ({ command: AB(c), args: ['mcp', ...(c.core ? [] : ['--tools', 'core,network,debug'])], env: abEnv(c) }), // the core profile has no console, network or batch
    launch: c => ({ command: AB(c), args: ['mcp'], env: abEnv({ ...c, port: 0 }) }),
    ref: abRef,
    ops: {
      navigate: (st, url) => [[p + 'open', { url }]], snapshot: () => [[p + 'snapshot', {}]], click: (st, selector) => [[p + 'click', { selector }]], fill: (st, selector, text) => [[p + 'fill', { selector, text }]],
      fillForm: (st, fields) => fields.map(f => f.kind === 'text' ? [p + 'fill', { selector: f.ref, text: f.value }] : f.kind === 'select' ? [p + 'select', { selector: f.ref, values: [f.value] }] : [p + 'check', { selector: f.ref }]),
      type: (st, selector, text) => [[p + 'type', { selector, text }]], press: (st, key) => [[p + 'press', { key }]], wait: (st, text) => [[p + 'wait_for_text', { text }]], evaluate: (st, js) => [[p + 'eval', { script: js }]], screenshot: () => [[p + 'screenshot', {}]],
      tabList: () => [[p + 'tab_list', {}]], tabSelect: (st, i) => [[p + 'tab_switch', { tab: `t${i + 1}` }]], console: () => [[p + 'console', {}]], network: () => [[p + 'network_requests', {}]],
    } },
  { id: 'agent-browser-cli', kind: 'cli', tabs: 'current', daemon: abDaemons, command: AB, env: abEnv, ref: abRef,
    ops: {
      navigate: (st, url) => [['open', url]], snapshot: () => [['snapshot', '-i']], click: (st, r) => [['click', r]], fill: (st, r, v) => [['fill', r, v]],
      fillForm: (st, fields) => [['batch', ...fields.map(f => f.kind === 'text' ? `fill ${f.ref} "${f.value}"` : f.kind === 'select' ? `select ${f.ref} "${f.value}"` : `check ${f.ref}`)]],
      type: (st, r, t) => [['type', r, t]], press: (st, k) => [['press', k]], wait: (st, t) => [['wait', '--text', t]], evaluate: (st, js) => [['eval', js]], screenshot: () => [['screenshot', SCRATCH + '/ab-cli.png']],
      tabList: () => [['tab', 'list']], tabSelect: (st, i) => [['tab', `t${i + 1}`]], console: () => [['console']], network: () => [['network', 'requests']], close: () => [['close']],
    } },
  { ...pw, id: 'playwright-mcp settle=0', variant: true, attach: c => { const a = pw.attach(c); return { ...a, args: [...a.args, '--timeout-settle', '0'] }; } }, // only when asked for by --only
  { id: 'dsh-browser-control', kind: 'mcp', tabs: 'arg', // ours; OURS names its built command line
    attach: c => ({ command: c.node, args: [OURS(), 'mcp', '--cdp-endpoint', `http://127.0.0.1:${c.port}`] }),
    launch: c => ({ command: c.node, args: [OURS(), 'mcp', '--headless', '--chrome-path', c.chrome, '--profile-dir', `${SCRATCH}/profile-${c.id}-${process.pid}`] }),
    ready: async (call, st) => { const r = await call('browser_pages', {}); st.tab = /\bt\d+\b/.exec(r.text)?.[0]; st.tabIds = [...r.text.matchAll(/\bt\d+\b/g)].map(m => m[0]); },
    ref: (t, role, name) => new RegExp(`- ${role} "${esc(name)}" (@\\d+)`).exec(t)?.[1],
    ops: {
      navigate: (st, url) => [['browser_navigate', { url, ...(st.tab && { tab: st.tab }) }]], snapshot: st => [['browser_snapshot', { ...(st.tab && { tab: st.tab }), max_chars: 60000 }]], click: (st, ref) => [['browser_click', { ref }]],
      fill: (st, ref, text) => [['browser_fill', { ref, text }]], fillForm: (st, fields) => OURS_FORM ? [['browser_fill', { fields: fields.map(f => ({ ref: f.ref, value: f.kind === 'check' ? true : f.value })) }]] : fields.map(f => f.kind === 'text' ? ['browser_fill', { ref: f.ref, text: f.value }] : f.kind === 'select' ? ['browser_select_option', { ref: f.ref, values: [f.value] }] : ['browser_click', { ref: f.ref }]),
      type: (st, ref, text) => [['browser_type', { ref, text }]], press: (st, key) => [['browser_press_key', { key }]], wait: (st, text) => [['browser_wait_for', { text }]], evaluate: (st, js) => [['browser_evaluate', { expression: js, ...(st.tab && { tab: st.tab }) }]], screenshot: () => [['browser_screenshot', {}]],
      tabList: () => [['browser_pages', {}]], tabSelect: (st, i) => [['browser_select_page', { tab: st.tabIds?.[i] ?? `t${i + 1}` }]], console: () => [['browser_console_messages', { limit: 1000 }]], network: () => [['browser_network_requests', { limit: 1000 }]],
    } },
];

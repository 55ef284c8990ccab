const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
const EXEMPT = ['NO_PROXY', 'no_proxy'];
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * Lets this process reach others through the proxies that its environment names, but itself without
 * one. Returns whether any are named.
 */
export async function useProxies(env: NodeJS.ProcessEnv, host: string): Promise<boolean> {
  if (!PROXIES.some((name) => env[name])) return false;
  const named = EXEMPT.map((name) => env[name]).filter(Boolean);
  // Programs differ in which of the two they read.
  for (const name of EXEMPT) env[name] = [...named, ...LOOPBACK, host].join(',');
  // Only where it is needed: it takes memory that an idle service would miss.
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  setGlobalDispatcher(new EnvHttpProxyAgent());
  return true;
}

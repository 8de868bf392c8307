/** IDE_BRIDGE_TEST_HOST, else a desktop VS Code where it can be downloaded, else the one from npm. */
export async function chooseHost(): Promise<'desktop' | 'npm'> {
  const forced = process.env.IDE_BRIDGE_TEST_HOST;
  if (forced === 'desktop' || forced === 'npm') return forced;
  if (forced) throw new Error(`IDE_BRIDGE_TEST_HOST is "${forced}"; it can be desktop or npm.`);
  try {
    const address = 'https://update.code.visualstudio.com/api/releases/stable';
    const response = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(3000) });
    if (response.ok) return 'desktop';
    console.log(`VS Code's download answers ${response.status}: testing in the one from npm.`);
  } catch {
    console.log("VS Code's download cannot be reached: testing in the one from npm.");
  }
  return 'npm';
}

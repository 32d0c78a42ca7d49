// Package openai has a provider for every server that speaks OpenAI's chat
// completions: OpenAI itself, other clouds, and servers on one's own machine.
//
// # Configuration
//
// A [Config] lists providers. Its JSON:
//
//	{
//		"providers": [
//			{
//				"id": "openai",
//				"baseUrl": "https://api.openai.com/v1",
//				"keyEnv": "OPENAI_API_KEY",
//				"models": [{"id": "gpt-5", "reasoning": true, "input": ["text", "image"], "contextWindow": 400000, "maxTokens": 128000}]
//			},
//			{"id": "local", "baseUrl": "http://localhost:8080/v1"}
//		]
//	}
//
// Models have the members of [model.Model]; a provider without models takes any id.
// Whoever writes the configuration decides where the keys are sent: it does not belong
// where an agent can write.
//
// # Keys
//
// A key is read for each request: from an environment variable (keyEnv), or from a file
// of the state directory (keyFile) that nobody but its owner may read. It is in no
// configuration, error, log, or message: where a server's error repeats it, "[key]"
// stands in its place.
//
// # Servers
//
// What is peculiar to a server is in the member compat of the provider or of a model,
// a JSON object; see [Compat]. Other members of a request can be set by the
// samplingParams of a model.
package openai

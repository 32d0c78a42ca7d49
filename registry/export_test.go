package registry

// CompiledSchemas is how many compiled schemas the registry keeps.
func (r *Registry) CompiledSchemas() int {
	r.schemas.mu.Lock()
	defer r.schemas.mu.Unlock()
	return len(r.schemas.entries)
}
